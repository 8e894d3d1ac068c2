import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import {
  refusedWith,
  sampleObservation,
  sampleStream,
} from '../../record/sample-observations.fixture.ts';
import { seenArrival } from './seen-arrivals.ts';

const [stage] = samplePlan().stages;
const plan = samplePlan({ stages: [{ ...stage!, population: 'a/2' }] });
const streamed = {
  kind: 'completed',
  answer: sampleStream([5100, 5150], { cost: 7 }),
} as const;
/** A stream that was begun 1 ms late, of which the first token may have waited for 3 ms and the last for 5. */
const stream: Partial<Observation> = {
  traffic: 'chat-stream',
  outcome: streamed,
  readDelays: { first: milliseconds(3), end: milliseconds(5), tokens: null },
};
const seen = (changes: Partial<Observation>, measure: 'ttft' | 'endToEnd' = 'ttft') =>
  seenArrival(sampleObservation(changes), plan, measure);

const { key, released, reserved, begun, connected, connection, sent, head, ended } =
  sampleObservation();
const refused = {
  key,
  released,
  reserved,
  begun,
  connected,
  connection,
  sent,
  head,
  ended,
  outcome: {
    kind: 'limited',
    refusal: refusedWith('too many').refusal,
    unit: null,
    retryAfter: null,
    resetIn: null,
  },
  wait: milliseconds(40),
  waitBy: 'backoff',
} as const;

describe('an arrival that the judges of fairness see', () => {
  it('has the bounds of the target’s time, its tokens, its cost, and the name of its population', () => {
    expect(seen(stream)).toEqual({
      population: 'a',
      key: 'main',
      due: 5000,
      ended: 5200,
      isTimed: true,
      least: 96,
      most: 100,
      isCompleted: true,
      limited: 0,
      tokens: 12,
      sent: 1,
      cost: 7,
    });
    expect(seen(stream, 'endToEnd')).toMatchObject({ least: 194, most: 200, isTimed: true });
    expect(seen({ ...stream, readDelays: undefined })).toMatchObject({ least: 99, most: 100 });
  });

  it('without a first token has no time, and without a stream none to it', () => {
    const silent = { kind: 'completed', answer: sampleStream([]) } as const;
    expect(seen({ ...stream, outcome: silent })).toMatchObject({ most: Infinity, least: Infinity });
    expect(seen({})).toMatchObject({ isTimed: false, most: Infinity });
    expect(seen({}, 'endToEnd')).toMatchObject({ isTimed: true, most: 200, cost: 14, tokens: 30 });
  });

  it('that failed is infinitely slow, and has no tokens and no cost', () => {
    expect(seen({ ...stream, outcome: refusedWith('no') })).toMatchObject({
      isCompleted: false,
      isTimed: true,
      least: Infinity,
      most: Infinity,
      tokens: 0,
      cost: 0,
      sent: 1,
    });
  });

  it('counts each attempt that was sent, and those that were answered 429', () => {
    const unsent = { ...refused, sent: null, begun: instant(5010) };
    const found = seen({ ...stream, earlier: [refused, unsent] });
    // Late by 1, 10 and 1 ms, and by 3 ms for the first token.
    expect(found).toMatchObject({ limited: 2, sent: 2, least: 85, most: 100 });
    expect(seen({ ...stream, begun: instant(5500) }).least).toBe(0);
  });

  it('whose client hung up completes, and its time does not count', () => {
    const hungUp = { kind: 'cancelled', bytes: 9, partial: null } as const;
    for (const changes of [{ outcome: hungUp }, { toCancel: true as const }])
      expect(seen({ ...stream, ...changes })).toMatchObject({ isTimed: false, isCompleted: true });
  });
});

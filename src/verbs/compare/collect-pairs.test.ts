import { describe, expect, it } from 'vitest';
import type { Observation } from '../../model/observation/observation.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import {
  answeredChat,
  refusedWith,
  sampleObservation,
  sampleSpeech,
  sampleStream,
} from '../../record/sample-observations.fixture.ts';
import { joinPairs, summariseSide } from './collect-pairs.ts';

const chat = (index: number, due: number, changes: Partial<Observation> = {}): Observation => ({
  ...answeredChat(due, 100),
  index,
  ...changes,
});

/** The pair of two requests of which the one to the base was the first. */
const pairOf = (base: Observation, next: Observation = chat(0, 5010)) =>
  joinPairs({ base: [base], next: [next], isNextFirst: () => false, gap: 10, warmUp: 0 })[0]!;

const broken = (cause: 'internal' | 'out-of-sockets' | 'reset') =>
  ({ kind: 'broken', cause, detail: '', partial: null }) as const;

describe('pairs of requests', () => {
  it('are joined by their names, in the order in which they were due, without the warm-up', () => {
    const isNextFirst = ({ index }: Pick<Observation, 'index'>): boolean => index % 2 === 1;
    // The second request of a pair is due 10 ms after its pair.
    const base = [chat(0, 2000), chat(1, 1010), chat(2, 990)];
    const next = [chat(2, 1000), chat(1, 1000), chat(0, 2010)];
    const pairs = joinPairs({ base, next, isNextFirst, gap: 10, warmUp: 1000 });
    expect(pairs.map(({ second, nextFirst }) => [second, nextFirst])).toEqual([
      [1, true],
      [2, false],
    ]);
    const alone = joinPairs({ base: [], next: [chat(3, 999)], isNextFirst, gap: 10, warmUp: 0 });
    expect(alone).toMatchObject([
      { second: 0, nextFirst: true, base: { status: 'unknown' }, next: { status: 'completed' } },
    ]);
    const stages = [chat(0, 10), chat(0, 10, { stage: 1 })];
    expect(joinPairs({ base: stages, next: stages, isNextFirst, gap: 0, warmUp: 0 })).toHaveLength(
      2,
    );
  });

  it.each<readonly [Partial<Observation>, string]>([
    [{}, 'completed'],
    [{ outcome: refusedWith('no') }, 'failed'],
    [{ outcome: broken('reset') }, 'failed'],
    [{ outcome: broken('internal') }, 'unknown'],
    [{ outcome: broken('out-of-sockets') }, 'unknown'],
    [{ outcome: { kind: 'dropped', cause: 'in-flight' } as never }, 'unknown'],
    [{ outcome: { kind: 'cancelled', bytes: 1, partial: null } }, 'unknown'],
    [{ toCancel: true }, 'unknown'],
  ])('know what became of each: %j is %s', (changes, status) => {
    expect(pairOf(chat(0, 5000, changes)).base.status).toBe(status);
  });

  it('have the times of each, with what this machine may have added', () => {
    expect(pairOf(chat(0, 5000)).base.times).toEqual({
      endToEnd: { value: 100, over: 0, under: 0, per: 1 },
    });
    const delays = { first: milliseconds(3), end: milliseconds(8), tokens: null };
    const outcome = { kind: 'completed', answer: sampleStream([5020, 5040, 5060]) } as const;
    const stream = chat(0, 5000, { traffic: 'chat-stream', outcome, readDelays: delays });
    expect(pairOf(stream).base.times).toEqual({
      ttft: { value: 20, over: 3, under: 0, per: 1 },
      endToEnd: { value: 60, over: 8, under: 0, per: 1 },
      // Two gaps of 20 ms: each end of the stream adds half of its delay to a gap.
      tpot: { value: 20, over: 4, under: 1.5, per: 2 },
    });
    const spoken = { kind: 'completed', answer: sampleSpeech() } as const;
    const whole = { ...delays, first: null };
    expect(pairOf(chat(0, 5000, { outcome: spoken, readDelays: whole })).base.times).toMatchObject({
      firstAudio: { value: 60, over: 8 },
    });
  });
});

describe('a side of pairs', () => {
  it('has its outcomes, its requests in flight, and what first and second requests had cached', () => {
    const cached = (index: number, due: number, tokens: number): Observation => {
      const each = sampleObservation();
      if (each.outcome.kind !== 'completed' || each.outcome.answer.kind !== 'chat')
        throw new Error('the sample is a chat');
      const { answer } = each.outcome;
      const counted = { ...answer, tokens: { ...answer.tokens, cached: tokens } };
      return chat(index, due, { outcome: { kind: 'completed', answer: counted } });
    };
    const dropped = { kind: 'dropped', cause: 'in-flight' } as never;
    // Three of 100 ms within 250 ms, of which two overlap for 50 ms.
    const observations = [
      cached(0, 0, 4),
      cached(1, 50, 8),
      cached(2, 150, 20),
      chat(3, 9000, { outcome: dropped, begun: instant(9000), ended: instant(9900) }),
    ];
    const side = summariseSide(observations, ({ index }) => index < 2);
    expect(side.outcomes).toMatchObject({ completed: 3, dropped: 1, broken: 0 });
    expect(side.inFlight.mean).toBeCloseTo(300 / 250);
    expect(side).toMatchObject({ inFlight: { most: 2 }, cachedFirst: 6, cachedSecond: 20 });
    expect(summariseSide([chat(0, 5)], () => true)).toMatchObject({
      inFlight: { mean: 1, most: 1 },
      cachedFirst: null,
      cachedSecond: null,
    });
    expect(summariseSide([], () => true)).toMatchObject({ inFlight: { mean: 0, most: 0 } });
  });
});

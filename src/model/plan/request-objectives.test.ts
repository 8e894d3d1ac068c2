import type { ChatStreamAnswer } from '../observation/outcome.ts';
import { describe, expect, it } from 'vitest';
import { type RequestObjective, objectivesMet } from './objective.ts';
import type { Observation } from '../observation/observation.ts';
import { instant } from '../quantity.ts';

const stream = (moments: readonly number[]): Observation => {
  const [first = null, last = null] = [moments[0], moments.at(-1)].map((moment) =>
    moment === undefined ? null : instant(moment),
  );
  const answer: ChatStreamAnswer = {
    kind: 'chat-stream',
    firstByte: instant(0),
    firstEvent: first,
    firstToken: first,
    firstVisible: first,
    lastToken: last,
    tokenInstants: Float64Array.from(moments),
    commentInstants: new Float64Array(),
    coalesced: 0,
    tokens: { input: 1, output: moments.length, source: 'usage' },
    firstChunkTokens: null,
    finish: 'stop',
    buffered: false,
    notes: [],
    cost: null,
  };
  const zero = instant(0);
  return {
    requestId: 'r',
    stage: 0,
    index: 0,
    traffic: 'chat-stream',
    model: 'm',
    key: 'k',
    due: zero,
    released: zero,
    begun: zero,
    connected: zero,
    connection: 'new',
    sent: zero,
    reserved: null,
    earlier: [],
    gaveUp: null,
    head: null,
    ended: instant(last ?? 0),
    outcome: { kind: 'completed', answer },
  };
};

const scope = { traffic: null, model: null, key: null, stages: null };
const held = (differing: Partial<RequestObjective>): RequestObjective => ({
  text: 't',
  measure: 'ttft',
  scope,
  comparison: '<',
  bound: 100,
  ...differing,
});
const kept = (differing: Partial<RequestObjective>, moments: readonly number[] = [90, 150, 160]) =>
  objectivesMet([held(differing)], stream(moments), 'steady')[0];

describe('a completed request meets an objective', () => {
  it('if its sample does', () => {
    expect([kept({}), kept({ bound: 90 }), kept({ comparison: '<=', bound: 90 })]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('with several samples only if all do', () => {
    expect(kept({ measure: 'gap', bound: 61 })).toBe(true);
    expect(kept({ measure: 'gap', bound: 60 })).toBe(false);
  });

  it('without a sample never: missing data does not pass', () => {
    expect(kept({ measure: 'gap' }, [90])).toBe(false);
    expect(kept({ comparison: '>', bound: 0 }, [])).toBe(false);
  });

  it('that does not apply to its kind of traffic or its labels', () => {
    expect(kept({ measure: 'firstAudio', bound: 0 })).toBe(true);
    expect(kept({ bound: 0, scope: { ...scope, model: 'other' } })).toBe(true);
    expect(kept({ bound: 0, scope: { ...scope, stages: ['peak'] } })).toBe(true);
    expect(
      kept({ bound: 0, scope: { ...scope, stages: ['steady'], traffic: 'chat-stream' } }),
    ).toBe(false);
  });
});

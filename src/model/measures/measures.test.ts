import { type ChatStreamAnswer, tokenSources } from '../observation/outcome.ts';
import { describe, expect, it } from 'vitest';
import { measures } from './measures.ts';
import { type Observation } from '../observation/observation.ts';
import { instant } from '../quantity.ts';

/** A stream of 21 tokens in three events over a second. */
const streamed = (differing: Partial<ChatStreamAnswer> = {}): Observation => ({
  requestId: 'run-0',
  stage: 0,
  index: 0,
  traffic: 'chat-stream',
  model: 'publisher/model-8b',
  key: 'main',
  due: instant(0),
  released: instant(0),
  reserved: null,
  begun: instant(1),
  connected: instant(2),
  connection: 'new',
  sent: instant(3),
  head: null,
  ended: instant(1210),
  earlier: [],
  gaveUp: null,
  outcome: {
    kind: 'completed',
    answer: {
      kind: 'chat-stream',
      firstByte: instant(200),
      firstEvent: instant(200),
      firstToken: instant(200),
      firstVisible: instant(200),
      lastToken: instant(1200),
      tokenInstants: Float64Array.of(200, 700, 1200),
      commentInstants: new Float64Array(),
      coalesced: 0,
      tokens: { input: 10, output: 21, source: 'usage' },
      firstChunkTokens: null,
      finish: 'stop',
      buffered: false,
      notes: [],
      cost: null,
      ...differing,
    },
  },
});

const ofTokens = ['tpot', 'outputSpeed', 'outputTokens', 'tokensPerChunk'] as const;
const samples = (observation: Observation): readonly (readonly number[])[] =>
  ofTokens.map((name) => [...measures[name].of(observation)]);

describe('measures of tokens', () => {
  it('are taken from the server’s own count', () => {
    expect(samples(streamed())).toEqual([[50], [20], [21], [7]]);
  });

  it('leave the tokens of the first event out of both speeds', () => {
    const [tpot, speed] = samples(streamed({ firstChunkTokens: 11 }));
    expect([tpot, speed]).toEqual([[100], [10]]);
    expect(samples(streamed({ firstChunkTokens: 21 })).slice(0, 2)).toEqual([[], []]);
  });

  it('give no speed that is above the range of a histogram', () => {
    const hurried = streamed({
      lastToken: instant(200.0001),
      tokens: { input: 10, output: 1e9, source: 'usage' },
    });
    expect(measures.outputSpeed.of(hurried)).toEqual([]);
  });

  it.each(tokenSources.filter((source) => source !== 'usage'))(
    'never include tokens that were only estimated: %s',
    (source) => {
      expect(samples(streamed({ tokens: { input: null, output: 21, source } }))).toEqual([
        [],
        [],
        [],
        [],
      ]);
    },
  );

  it('of whole answers follow the same rule', () => {
    const whole = (source: (typeof tokenSources)[number]): Observation => ({
      ...streamed(),
      traffic: 'chat',
      outcome: {
        kind: 'completed',
        answer: {
          kind: 'chat',
          firstByte: instant(200),
          tokens: { input: null, output: 7, source },
          finish: 'stop',
          notes: [],
          cost: null,
        },
      },
    });
    const counts = tokenSources.map((source) => [...measures.outputTokens.of(whole(source))]);
    expect(counts).toEqual([[7], [], []]);
  });
});

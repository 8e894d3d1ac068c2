import { expect, it } from 'vitest';
import type { Observation, ReadDelays } from '../observation/observation.ts';
import { recordDelays } from './read-delays.ts';

/** What is recorded of a stream with tokens at 100, 110 and 130 ms, begun 5 ms after its release. */
const recorded = (delays: Partial<ReadDelays> | null, outcome: object = {}, more: object = {}) => {
  const records: string[] = [];
  const histogramOf = (name: string) =>
    ({
      record: (value: number, weight?: number) =>
        records.push(`${name} ${value}${weight === undefined ? '' : ` × ${weight}`}`),
    }) as never;
  const answer = {
    kind: 'chat-stream',
    buffered: false,
    tokenInstants: Float64Array.of(100, 110, 130),
  };
  const observation = {
    begun: 15,
    released: 10,
    earlier: [],
    outcome: { kind: 'completed', answer, ...outcome },
    readDelays:
      delays === null ? undefined : { first: 2, end: 3, tokens: [1, 2, 4], weight: 7, ...delays },
    ...more,
  };
  recordDelays(observation as unknown as Observation, histogramOf);
  return records;
};
const ends = ['first 7', 'end 8'];
const tokens = [
  'tokens 1',
  'tokens 2',
  'gapLow 8',
  'gapHigh 11',
  'tokens 4',
  'gapLow 16',
  'gapHigh 22',
];

it('a stream has the delays of its first token and its end after its lag, and those of each token and gap', () => {
  expect(recorded({})).toEqual([...ends, ...tokens.map((each) => `${each} × 7`)]);
  expect(recorded({ weight: undefined })).toEqual([...ends, ...tokens]);
  // A gap that is shorter than a delay may have been none.
  expect(recorded({ tokens: [1, 15] })).toContain('gapLow 0 × 7');
});

it('lags of all attempts add up', () => {
  expect(recorded({ tokens: null }, {}, { earlier: [{ begun: 8, released: 6 }] })).toEqual([
    'first 9',
    'end 10',
  ]);
});

it.each<[string, Parameters<typeof recorded>, readonly string[]]>([
  ['without delays has none', [null], []],
  ['outside the sample has no tokens', [{ tokens: null }], ends],
  ['without a first token has an end', [{ first: null, tokens: null }], ['end 8']],
  ['that is no stream has no gaps', [{}, { answer: { kind: 'chat' } }], ends],
  [
    'that came in one burst has no gaps',
    [{}, { answer: { kind: 'chat-stream', buffered: true, tokenInstants: Float64Array.of() } }],
    ends,
  ],
  ['that failed has its first token apart', [{}, { kind: 'broken' }], ['firstOfPartial 7']],
  ['that failed before has nothing', [{ first: null }, { kind: 'broken' }], []],
])('an answer %s', (_, given, expected) => {
  expect(recorded(...given)).toEqual(expected);
});

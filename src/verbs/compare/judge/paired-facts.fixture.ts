import type { PairedRequest, PairsFacts, RequestPair } from './judge-pairs.ts';
import { fixed, pairsOf } from './paired-streams.fixture.ts';

export const answered = (value: number, over = 0): PairedRequest => ({
  outcome: 'completed',
  status: 'completed',
  times: { ttft: { value, over, under: 0, per: 1 } },
});
export const failedRequest: PairedRequest = { outcome: 'refused', status: 'failed', times: {} };

const reading = { beyond: () => 0, instants: Number.POSITIVE_INFINITY };

const unchanged: (pair: RequestPair, i: number) => RequestPair = (pair) => pair;

export const pairsFacts = (
  added: number,
  { over = 0, change = unchanged } = {},
  limits: PairsFacts['limits'] = [],
): PairsFacts => ({
  pairs: pairsOf(3, { perSecond: 20, seconds: 30, added: fixed(added), noise: 1 }).map((pair, i) =>
    change(
      {
        second: pair.second,
        nextFirst: i % 2 === 0,
        base: answered(pair.base!, over),
        next: answered(pair.next!, over),
      },
      i,
    ),
  ),
  seconds: 30,
  reading,
  limits,
  mockError: 0,
});

import type { Bench } from '../harness/bench.ts';
import { benchStreamCost } from './stream-cost.ts';
import { benchStreamMemory } from './stream-memory.ts';
import { benchFurtherArrivals } from '../transport/transport-arrivals.ts';

/** Streams: what a chunk costs, how exact the instants of arrival are, and what ten thousand at once take. */
export const streamsBench: Bench = {
  name: 'streams',
  about:
    'what a streamed chunk costs, how exact instants of arrival are, what ten thousand streams take',
  run: async (say) => [
    ...(await benchStreamCost(say)),
    ...(await benchFurtherArrivals(say)),
    ...(await benchStreamMemory(say)),
  ],
};

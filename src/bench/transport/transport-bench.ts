import type { Bench } from '../harness/bench.ts';
import { benchTransportArrivals } from './transport-arrivals.ts';
import { benchTransportChats } from './transport-chats.ts';

/** The two transports against each other and against what the field uses: how fast, and how exact. */
export const transportBench: Bench = {
  name: 'transport',
  about: 'the two transports against each other and what the field uses: how fast, how exact',
  run: async (say) => [...(await benchTransportChats(say)), ...(await benchTransportArrivals(say))],
};

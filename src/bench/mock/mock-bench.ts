import type { Bench } from '../harness/bench.ts';
import { benchChats } from './mock-chats.ts';
import { benchMemory } from './mock-memory.ts';
import { benchLateness } from './mock-lateness.ts';

/** The mock as a ruler: how punctual it is, how small, how fast. */
export const mockBench: Bench = {
  name: 'mock',
  about: 'how punctual the mock is, how small and how fast',
  run: async (say) => [
    ...(await benchLateness(say)),
    ...(await benchMemory(say)),
    ...(await benchChats(say)),
  ],
};

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

const exposeCollector = (): Collect => {
  setFlagsFromString('--expose-gc');
  // The flag is not reset, since it applies to the whole process and another thread may be about to use it.
  return runInNewContext('gc') as Collect;
};

/**
 * Collects the garbage from the start of the program, before the run's clock starts. Otherwise, the first collections
 * of young objects would move this garbage to the old space. (V8's memory reducer compacts the heap of an idle process.
 * The reducer can be switched off only when Node is started, so the first line of the launcher and `npm start` switch
 * it off.)
 */
export const cleanHeap = (): void => exposeCollector()();

const mostUncollected = 4 * 1024 * 1024;

/**
 * `countReadBytes` ignores reads of fewer bytes than this. Such reads contain single tokens and leave little garbage.
 */
const leastCounted = 16 * 1024;

let uncollected = 0;
let collect: Collect | null = null;

/**
 * Collects young objects, in about a millisecond, whenever enough bytes were read. This function must be called with
 * the length of each read that has its own buffer. The buffers are outside the heap, and V8 alone would let 64 MB of
 * buffers accumulate.
 */
export const countReadBytes = (bytes: number): void => {
  if (bytes < leastCounted) return;
  uncollected += bytes;
  if (uncollected < mostUncollected) return;
  uncollected = 0;
  collect ??= exposeCollector();
  collect({ type: 'minor' });
};

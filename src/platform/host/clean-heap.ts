import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options?: { readonly type: 'minor' }) => void;

const exposeCollector = (): Collect => {
  setFlagsFromString('--expose-gc');
  // The flag stays set, since it applies to the whole process and another thread may be between the two lines.
  return runInNewContext('gc') as Collect;
};

/**
 * Prepares the heap for a run, before its clock starts. The garbage of start-up is collected now, so that the first
 * collections of young objects do not have to move it to the old space. (V8's memory reducer, which compacts the heap
 * of an idle process, can only be switched off when Node starts: the launcher's first line and `npm start` do.)
 */
export const cleanHeap = (): void => exposeCollector()();

const mostUncollected = 4 * 1024 * 1024;

/** The smallest read that counts, in bytes. Smaller reads carry single tokens and leave little garbage. */
const leastCounted = 16 * 1024;

let uncollected = 0;
let collect: Collect | null = null;

/**
 * Collects young objects, in about a millisecond, after enough bytes were read. It must be called with the length of
 * each read that has its own buffer. Such buffers lie outside the heap, and V8 would let 64 MB of them accumulate.
 */
export const countReadBytes = (bytes: number): void => {
  if (bytes < leastCounted) return;
  uncollected += bytes;
  if (uncollected < mostUncollected) return;
  uncollected = 0;
  collect ??= exposeCollector();
  collect({ type: 'minor' });
};

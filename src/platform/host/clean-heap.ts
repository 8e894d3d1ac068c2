import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Prepares the heap for a run, before its clock starts: the garbage of start-up is collected now, so that
 * the first collections of young objects need not move it to the old space. (V8's memory reducer,
 * which compacts the heap of an idle process, can only be switched off when Node starts:
 * the launcher's first line and `npm start` do.)
 */
export const cleanHeap = (): void => {
  setFlagsFromString('--expose-gc');
  // The flag stays set: it applies to the whole process, and another thread may be between the two lines.
  const collect = runInNewContext('gc') as () => void;
  collect();
};

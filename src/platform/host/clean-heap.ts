import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Readies the heap for a run, before its clock starts: what start-up left is collected now, so that
 * the first collections of young objects need not carry it to the old space. (V8's memory reducer,
 * which compacts the whole heap of a quiet process, can only be switched off where Node is started:
 * the launcher's first line and `npm start` do.)
 */
export const cleanHeap = (): void => {
  setFlagsFromString('--expose-gc');
  // The flag stays: it is of the whole process, and another thread may be between the two lines.
  const collect = runInNewContext('gc') as () => void;
  collect();
};

import { monotonicNow } from '../../platform/host/clock.ts';
import { Problem } from '../../platform/problem.ts';
import { sleep } from '../../platform/process/pause.ts';

/** The wait before an operation is tried again, in ms. */
const retryInterval = 250;

/** Tries an operation on a rendezvous until it succeeds, for `patience` ms; then throws its `Problem`. */
export const persist = async <T>(patience: number, work: () => Promise<T>): Promise<T> => {
  const until = monotonicNow() + patience;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Problem) || monotonicNow() >= until) throw error;
    }
    await sleep(retryInterval);
  }
};

import { connectLead } from '../../engine/connect-ahead.ts';
import type { SliceOptions } from '../../engine/slice-options.ts';
import type { Clock } from '../../model/clock.ts';

/** Workers receive instant 0 this many ms in advance, so that all of them start on time. */
const workerLead = 50;

/** How long before its zero the clock of a slice is started, in ms: the first requests find their connections open. */
export const startLead = (options: SliceOptions, isInWorkers: boolean): number =>
  Math.max(isInWorkers ? workerLead : 0, connectLead(options));

/** Resolves at the clock's zero. */
export const clockStarted = (clock: Clock): Promise<void> =>
  new Promise((resolve) => {
    if (clock.now() >= 0) return resolve();
    const stop = clock.every(1, () => {
      if (clock.now() < 0) return;
      stop();
      resolve();
    });
  });

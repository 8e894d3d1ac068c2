import type { Milliseconds } from '../../model/quantity.ts';
import { onInterrupt, type StopSignal } from './interrupts.ts';

/** Waits for `length` ms or until a stop signal; returns the signal, otherwise `null`. */
export const pause = (length: Milliseconds): Promise<StopSignal | null> =>
  new Promise((resolve) => {
    const end = (signal: StopSignal | null): void => {
      clearTimeout(timer);
      release();
      resolve(signal);
    };
    const timer = setTimeout(end, length, null);
    const release = onInterrupt(end);
  });

import type { Milliseconds } from '../../model/quantity.ts';
import { onInterrupt, type StopSignal } from './interrupts.ts';

/** Waits so long, or until somebody asks to stop: then the signal, otherwise `null`. */
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

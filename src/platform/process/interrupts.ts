import type { Milliseconds } from '../../model/quantity.ts';

/** The signals that ask a run to stop. */
const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof stopSignals)[number];

/** Calls `onSignal` at each stop signal with the number so far, until the returned function is called. */
export const onInterrupt = (
  onSignal: (signal: StopSignal, times: number) => void,
): (() => void) => {
  let times = 0;
  const listeners = stopSignals.map((signal) => {
    const listener = (): void => {
      times += 1;
      onSignal(signal, times);
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return () => {
    for (const remove of listeners) remove();
  };
};

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

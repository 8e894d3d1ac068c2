const stopSignals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
export type StopSignal = (typeof stopSignals)[number];

/**
 * Calls `onSignal` at each stop signal, with the number of signals so far. The returned function removes all listeners.
 */
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

import { processEnvironment } from '../../platform/process/this-process.ts';
import type { Host, OnStop } from './host.ts';
import type { RunOptions } from './library-host.ts';
import type { ProgressReport } from './run-report.ts';

/** This file makes the host for a call of the library. The types that users see are in `library-host.ts`. */

const stopOnAbort =
  (signal: AbortSignal): OnStop =>
  (listener) => {
    const onAbort = (): void => listener('AbortSignal', 1);
    if (signal.aborted) queueMicrotask(onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    return () => signal.removeEventListener('abort', onAbort);
  };

/** Creates a host that prints nothing and adds warnings to `warnings`. */
export const silentHost = (
  environment: RunOptions['environment'],
  signal: AbortSignal,
  warnings: string[],
): Host => ({
  environment: environment ?? processEnvironment(),
  printer: {
    say: () => undefined,
    warn: (text) => warnings.push(text),
    print: () => undefined,
    close: () => undefined,
    listFiles: () => undefined,
    screen: null,
  },
  onStop: stopOnAbort(signal),
  ask: null,
});

/** Wraps the caller's function. If the function throws an error, the run stops, but the caller's process continues. */
export const stoppedByErrors = (
  onProgress: RunOptions['onProgress'],
  signal: AbortSignal | undefined,
): {
  readonly stop: AbortSignal;
  readonly onSecond: (progress: ProgressReport) => void;
  readonly failure: AbortSignal;
} => {
  const failure = new AbortController();
  const stop = AbortSignal.any([failure.signal, ...(signal === undefined ? [] : [signal])]);
  const onSecond = (progress: ProgressReport): void => {
    try {
      onProgress?.(progress);
    } catch (error) {
      failure.abort(error);
    }
  };
  return { stop, onSecond, failure: failure.signal };
};

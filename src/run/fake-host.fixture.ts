import type { Host, PrintedOutcome, StopCause } from './input/host.ts';
import { bareRequest, type RunRequest } from './input/run-request.ts';

/** A host that keeps what is printed, and stops a run when a test says so. */
export const fakeHost = (environment: Host['environment'] = {}) => {
  const said: string[] = [];
  const warned: string[] = [];
  const printed: PrintedOutcome[] = [];
  const listed: string[] = [];
  const listeners = new Set<(cause: StopCause, times: number) => void>();
  let stops = 0;
  const stop = (cause: StopCause): void => {
    stops += 1;
    for (const listener of listeners) listener(cause, stops);
  };
  const host: Host = {
    environment,
    printer: {
      say: (text) => said.push(text),
      warn: (text) => warned.push(text),
      print: (outcome) => printed.push(outcome),
      close: () => undefined,
      listFiles: (lines) => listed.push(...lines.split('\n')),
      screen: null,
    },
    onStop: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ask: null,
  };
  return { host, said, warned, printed, listed, stop };
};

/** A request for a run of a scenario without files. `more` overrides its fields. */
export const runRequest = (
  value: object,
  target: string,
  more: Partial<RunRequest> = {},
): RunRequest => ({
  ...bareRequest,
  source: { scenario: undefined, value, flags: {}, set: [], target },
  ...more,
});

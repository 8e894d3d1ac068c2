import type { ProbeSession } from '../../verbs/limits/experiment/send-probe-request.ts';

/** Returns the session of an examination of a gateway in simulated time; `timeout` is in ms. */
export const simulatedSession = (
  { transport, clock, wallZero }: Pick<ProbeSession, 'transport' | 'clock' | 'wallZero'>,
  timeout: number,
): ProbeSession => ({
  transport,
  clock,
  wallZero,
  nextHeaders: () => ({}),
  keyHeader: (key) => ({ authorization: `Bearer ${key}` }),
  redact: (text) => text,
  timeoutFor: timeout,
});

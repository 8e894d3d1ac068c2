import type { MockClock } from './clock.ts';
import { TimerWheel } from './timer-wheel.ts';

/** setTimeout takes no longer delay; a later deadline is reached in several steps. */
const longestDelay = 2 ** 31 - 1;

/** Calls `wake` after so many milliseconds or, where the delay is too long for a timer, earlier. */
const after = (milliseconds: number, wake: () => void): (() => void) => {
  const timer = setTimeout(wake, Math.min(longestDelay, Math.ceil(milliseconds)));
  return () => clearTimeout(timer);
};

/**
 * The machine's clock. Its monotonic scale is the system's own (`process.hrtime`), so that instants
 * of this process and of a client on the same machine can be compared.
 */
export const realClock = (): MockClock => {
  const origin = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const now = (): number => origin + performance.now();
  const wheel = new TimerWheel({ now, after });
  return { now, wall: () => Date.now(), at: (due, run) => wheel.at(due, run) };
};

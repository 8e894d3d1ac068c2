import type { MockClock } from './clock.ts';

/** setTimeout takes no longer delay; a later deadline is reached in several steps. */
const longestDelay = 2 ** 31 - 1;

/**
 * The machine's clock. Its monotonic scale is the system's own (`process.hrtime`), so that instants
 * of this process and of a client on the same machine can be compared.
 */
export const realClock = (): MockClock => {
  const origin = Number(process.hrtime.bigint()) / 1e6 - performance.now();
  const now = (): number => origin + performance.now();
  return {
    now,
    wall: () => Date.now(),
    at: (due, run) => {
      let timer: NodeJS.Timeout;
      const arm = (left: number): void => {
        timer = setTimeout(wake, Math.min(longestDelay, Math.max(0, Math.ceil(left))));
      };
      // Timers of the event loop count whole milliseconds of a cached time and can be early by one.
      const wake = (): void => {
        const left = due - now();
        if (left <= 0) run();
        else arm(left);
      };
      arm(due - now());
      return () => clearTimeout(timer);
    },
  };
};

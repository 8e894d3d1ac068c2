import type { Clock } from '../model/clock.ts';
import { instant } from '../model/quantity.ts';

/** The machine's monotonic clock; its zero is the moment of this call. */
export const startClock = (): Clock => {
  const zero = performance.now();
  return {
    now: () => instant(performance.now() - zero),
    every: (milliseconds, tick) => {
      const timer = setInterval(tick, milliseconds);
      return () => clearInterval(timer);
    },
  };
};

/** The wall clock as ISO 8601, for the one place in a result that says when a run began. */
export const wallClock = (): string => new Date().toISOString();

import type { Clock } from '../model/clock.ts';
import { instant } from '../model/quantity.ts';

/** A run's clock, and where its zero lies on the clock that all processes of the machine share. */
export interface RunClock extends Clock {
  /** Milliseconds of the system's monotonic clock (`process.hrtime`) at instant 0. */
  readonly machineZero: number;
}

/** The machine's monotonic clock; its zero is the moment of this call. */
export const startClock = (): RunClock => {
  // The machine may pause between the two readings, which makes their difference smaller, never larger.
  const differences = Array.from(
    { length: 16 },
    () => Number(process.hrtime.bigint()) / 1e6 - performance.now(),
  );
  const origin = Math.max(...differences);
  const zero = performance.now();
  return {
    machineZero: origin + zero,
    now: () => instant(performance.now() - zero),
    every: (milliseconds, tick) => {
      const timer = setInterval(tick, milliseconds);
      return () => clearInterval(timer);
    },
  };
};

/** The wall clock as ISO 8601, for the one place in a result that says when a run began. */
export const wallClock = (): string => new Date().toISOString();

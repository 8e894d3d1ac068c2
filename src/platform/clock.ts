import type { Clock } from '../model/clock.ts';
import { instant } from '../model/quantity.ts';

/** A run's clock, and where its zero lies on the clock that all processes of the machine share. */
export interface RunClock extends Clock {
  /** Milliseconds of the system's monotonic clock (`process.hrtime`) at instant 0. */
  readonly machineZero: number;
}

const looks = 20;

/** Where the zero of `performance.now()` lies on the machine's clock; the tightest look counts, since this process may be halted within one. */
const findOrigin = (): number => {
  let origin = 0;
  let width = Number.POSITIVE_INFINITY;
  for (let look = 0; look < looks; look += 1) {
    const before = performance.now();
    const machine = Number(process.hrtime.bigint()) / 1e6;
    const after = performance.now();
    if (after - before < width) {
      width = after - before;
      origin = machine - (before + after) / 2;
    }
  }
  return origin;
};

/** The machine's monotonic clock; its zero is the moment of this call. */
export const startClock = (): RunClock => {
  const origin = findOrigin();
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

/**
 * A processor that is shared or hot runs for tens of milliseconds at a fraction of its speed, and all programs on it
 * are late together. The time of a fixed piece of arithmetic shows this.
 */

/** Durations of the same arithmetic, in any unit, at rising times in ms. */
export interface SpeedSamples {
  readonly at: readonly number[];
  readonly durations: readonly number[];
}

/** Whether the processor ran at its normal speed at a time, in ms on the clock of the samples, and had for a while. */
export type IsNormalAt = (time: number) => boolean;

/** Slower than this many times the normal duration is slow. */
const slowFactor = 1.5;
/** This share of the samples is faster than the normal speed: most of the time is not slow. */
const fasterShare = 0.25;
/** A longer time without a sample, in ms, counts as slow. */
const maxGap = 10;
/**
 * Work delayed by a slow interval is caught up within this time, in ms: a core that is three quarters busy at normal
 * speed needs 2.5 times the length of an interval at a tenth of it, and the intervals take up to 60 ms.
 */
const recovery = 200;

export const normalSpeedOf = ({ at, durations }: SpeedSamples): IsNormalAt => {
  const usualDuration =
    durations.toSorted((a, b) => a - b)[Math.floor(durations.length * fasterShare)] ?? Number.NaN;
  const isSlow = (i: number): boolean =>
    i === 0 || at[i]! - at[i - 1]! > maxGap || durations[i]! > slowFactor * usualDuration;
  const slowIntervals = at.flatMap((end, i) =>
    isSlow(i) ? [{ from: at[i - 1] ?? -Infinity, to: end + recovery }] : [],
  );
  const last = at.at(-1) ?? -Infinity;
  // Both ends rise from interval to interval, so the last one that had begun ends last.
  return (time) => {
    const begun = slowIntervals.findLast(({ from }) => from <= time);
    return time <= last && (begun === undefined || time > begun.to);
  };
};

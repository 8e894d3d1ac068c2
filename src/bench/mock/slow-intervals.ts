/**
 * A processor that is shared or hot runs for tens of milliseconds at a fraction of its speed, and all programs on it
 * are late together. What a fixed piece of arithmetic takes tells it from a program that is slow by itself.
 */

/** What the same arithmetic took, in whatever unit, at instants in ms that rise. */
export interface SpeedSamples {
  readonly at: readonly number[];
  readonly durations: readonly number[];
}

/** When the processor ran at its usual speed. */
export interface NormalSpeed {
  /** Whether it did at an instant, in ms on the clock of the samples, and had for a while. */
  isNormalAt(instant: number): boolean;
}

/** Times what the arithmetic takes at the usual speed. */
const slowFactor = 1.5;
/** Of all samples, the share that is faster than the usual speed: most of the time is no spell. */
const fasterShare = 0.25;
/** Who told nothing for so many ms vouches for none of them. */
const maxGap = 10;
/**
 * What a spell has held up is made up for within so many ms: a core that is busy for three quarters at its usual
 * speed needs 2.5 times as long as a spell at a tenth of it took, and the spells seen took up to 60 ms.
 */
const recovery = 200;

export const normalSpeedOf = ({ at, durations }: SpeedSamples): NormalSpeed => {
  const usualDuration =
    durations.toSorted((a, b) => a - b)[Math.floor(durations.length * fasterShare)] ?? Number.NaN;
  const isSlow = (i: number): boolean =>
    i === 0 || at[i]! - at[i - 1]! > maxGap || durations[i]! > slowFactor * usualDuration;
  const slowIntervals = at.flatMap((end, i) =>
    isSlow(i) ? [{ from: at[i - 1] ?? -Infinity, to: end + recovery }] : [],
  );
  const last = at.at(-1) ?? -Infinity;
  const isNormalAt = (instant: number): boolean => {
    if (!(instant <= last)) return false;
    // The spells rise with their samples: the last that had begun ends last.
    const next = upperBound(slowIntervals, instant);
    return next === 0 || instant > slowIntervals[next - 1]!.to;
  };
  return { isNormalAt };
};

/** How many of the spells have begun by then. */
const upperBound = (
  slowIntervals: readonly { readonly from: number }[],
  instant: number,
): number => {
  let [low, high] = [0, slowIntervals.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (slowIntervals[middle]!.from <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
};

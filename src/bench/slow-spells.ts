/**
 * A processor that is shared or hot runs for tens of milliseconds at a fraction of its speed, and all programs on it
 * are late together. What a fixed piece of arithmetic takes tells it from a program that is slow by itself.
 */

/** What the same arithmetic took, in whatever unit, at instants in ms that rise. */
export interface SpeedSamples {
  readonly at: readonly number[];
  readonly took: readonly number[];
}

/** When the processor ran at its usual speed. */
export interface Calm {
  /** Whether it did at an instant, in ms on the clock of the samples, and had for a while. */
  isCalm(instant: number): boolean;
}

/** Times what the arithmetic takes at the usual speed. */
const slowFrom = 1.5;
/** Of all samples, the share that is faster than the usual speed: most of the time is no spell. */
const usualShare = 0.25;
/** Who told nothing for so many ms vouches for none of them. */
const longestHole = 10;
/**
 * What a spell has held up is made up for within so many ms: a core that is busy for three quarters at its usual
 * speed needs 2.5 times as long as a spell at a tenth of it took, and the spells seen took up to 60 ms.
 */
const recovery = 200;

export const calmOf = ({ at, took }: SpeedSamples): Calm => {
  const usual = took.toSorted((a, b) => a - b)[Math.floor(took.length * usualShare)] ?? Number.NaN;
  const isSlow = (i: number): boolean =>
    i === 0 || at[i]! - at[i - 1]! > longestHole || took[i]! > slowFrom * usual;
  const spells = at.flatMap((end, i) =>
    isSlow(i) ? [{ from: at[i - 1] ?? -Infinity, to: end + recovery }] : [],
  );
  const last = at.at(-1) ?? -Infinity;
  const isCalm = (instant: number): boolean => {
    if (!(instant <= last)) return false;
    // The spells rise with their samples: the last that had begun ends last.
    const next = upperBound(spells, instant);
    return next === 0 || instant > spells[next - 1]!.to;
  };
  return { isCalm };
};

/** How many of the spells have begun by then. */
const upperBound = (spells: readonly { readonly from: number }[], instant: number): number => {
  let [low, high] = [0, spells.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (spells[middle]!.from <= instant) low = middle + 1;
    else high = middle;
  }
  return low;
};

import { compiled, incbet, ndtr, ndtri } from 'cephes';

/** Waits until Moshier's Cephes library, which SciPy also used, is compiled. */
await compiled;

/** Returns the probability that |T| exceeds |t|: I_x(ν/2, 1/2) with x = ν / (ν + t²) (Abramowitz & Stegun 26.5.27). */
export const beyondT = (t: number, freedom: number): number =>
  incbet(freedom / 2, 0.5, freedom / (freedom + t * t));

/**
 * Returns the value t that |T| exceeds with the probability `tails` (0 < tails < 1), to eleven digits. The function
 * searches for the root of the logarithm of the probability by false position in the Illinois form (M. Dowell & P.
 * Jarratt, BIT 11, 1971), and halves the bracket at every third step. Cephes's own inverse of I_x is not used, since it
 * is wrong by a factor of 13 at 1e-9 with 100,000 degrees of freedom.
 */
export const criticalT = (tails: number, freedom: number): number => {
  const excessAt = (t: number): number => Math.log(beyondT(t, freedom) / tails);
  let [low, high] = [0, 1];
  let [below, above] = [excessAt(low), excessAt(high)];
  while (above > 0) {
    [low, below] = [high, above];
    high *= 2;
    above = excessAt(high);
  }
  let wasLow: boolean | null = null;
  for (let step = 1; ; step += 1) {
    const secant = high - (above * (high - low)) / (above - below);
    const isInside = secant > low && secant < high;
    const middle = isInside && step % 3 !== 0 ? secant : (low + high) / 2;
    if (high - low <= 1e-13 * high || middle <= low || middle >= high) return high;
    const excess = excessAt(middle);
    if (Math.abs(excess) < 1e-14) return middle;
    const isLow = excess > 0;
    if (isLow) {
      if (wasLow === true) above /= 2;
      [low, below] = [middle, excess];
    } else {
      if (wasLow === false) below /= 2;
      [high, above] = [middle, excess];
    }
    wasLow = isLow;
  }
};

/** Returns the probability that a standard normal |Z| exceeds |z|. */
export const beyondNormal = (z: number): number => 2 * ndtr(-Math.abs(z));

/** Returns the value z that a standard normal |Z| exceeds with the probability `tails`. */
export const criticalNormal = (tails: number): number => -ndtri(tails / 2);

import { type Draw, drawNormal } from '../model/workload/draw.ts';

/** Gaps between arrivals, in units of their mean. */
export interface Gaps {
  /** From the beginning to the first arrival. */
  readonly first: () => number;
  /** From one arrival to the next. */
  readonly next: () => number;
}

/** A gamma variate of this shape (at least 1) and scale 1, by rejection (Marsaglia and Tsang 2000). */
const drawGammaShapeAtLeast1 = (draw: Draw, shape: number): number => {
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = drawNormal(draw);
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log1p(-draw.uniform()) < (x * x) / 2 + d * (1 - v + Math.log(v))) {
      return d * v;
    }
  }
};

/** A gamma variate of any shape and scale 1; below shape 1 by the same authors' boost from shape + 1. */
const drawGamma = (draw: Draw, shape: number): number =>
  shape >= 1
    ? drawGammaShapeAtLeast1(draw, shape)
    : drawGammaShapeAtLeast1(draw, shape + 1) * Math.exp(Math.log1p(-draw.uniform()) / shape);

/** The gaps of a Poisson process; it has no memory, so the first gap is like all others. */
export const exponentialGaps = (draw: Draw): Gaps => {
  const next = (): number => -Math.log1p(-draw.uniform());
  return { first: next, next };
};

/**
 * Gamma gaps of mean 1. The process starts in the middle of a gap (a uniform part of a gap that is
 * drawn in proportion to its length: Cox 1962, Renewal Theory, § 5.2), so that the mean number of
 * arrivals in any area is that area; with a whole first gap it would be (1/shape − 1)/2 more.
 */
export const gammaGaps = (draw: Draw, shape: number): Gaps => ({
  first: () => (draw.uniform() * drawGammaShapeAtLeast1(draw, shape + 1)) / shape,
  next: () => drawGamma(draw, shape) / shape,
});

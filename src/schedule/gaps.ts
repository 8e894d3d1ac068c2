import { type Draw, drawNormal } from '../model/workload/draw.ts';

/** Draws the gaps between arrivals, in units of their mean. */
export interface Gaps {
  /** Draws the gap from the beginning to the first arrival. */
  readonly first: () => number;
  /** Draws the gap from one arrival to the next. */
  readonly next: () => number;
}

/** Draws a gamma variate of a shape of at least 1 and scale 1, by rejection (Marsaglia and Tsang 2000). */
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

/**
 * Draws a gamma variate of any shape and scale 1. Below shape 1 it uses shape + 1 and the boost of Marsaglia and Tsang.
 */
const drawGamma = (draw: Draw, shape: number): number =>
  shape >= 1
    ? drawGammaShapeAtLeast1(draw, shape)
    : drawGammaShapeAtLeast1(draw, shape + 1) * Math.exp(Math.log1p(-draw.uniform()) / shape);

/** Creates the gaps of a Poisson process. It has no memory, so the first gap is like all others. */
export const exponentialGaps = (draw: Draw): Gaps => {
  const next = (): number => -Math.log1p(-draw.uniform());
  return { first: next, next };
};

/**
 * Creates gamma gaps of mean 1. The process starts in the middle of a gap, so that the mean number of arrivals in any
 * area equals the area. Starting with a whole gap would add (1/shape − 1)/2 arrivals: with shape 0.25 a load of 10
 * would have 11.5. The first gap is a uniform part of a gap drawn in proportion to its length (Cox 1962, Renewal
 * Theory, § 5.2).
 */
export const gammaGaps = (draw: Draw, shape: number): Gaps => ({
  first: () => (draw.uniform() * drawGammaShapeAtLeast1(draw, shape + 1)) / shape,
  next: () => drawGamma(draw, shape) / shape,
});

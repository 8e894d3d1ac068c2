import { type UniformDraw, uniformFrom } from '../../../model/measures/processes.fixture.ts';
import type { PairedTimes } from './paired-quantiles.ts';

/** Test support: pairs whose true differences are known by formula, in virtual time. */

const normal = (draw: UniformDraw): number =>
  Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());

/** Draws the times that a gateway adds to each of `n` requests, in ms. */
type Added = (draw: UniformDraw, n: number) => readonly number[];

export const fixed =
  (ms: number): Added =>
  (_, n) =>
    Array.from({ length: n }, () => ms);

export const exponential =
  (mean: number): Added =>
  (draw, n) =>
    Array.from({ length: n }, () => -mean * Math.log(1 - draw()));

/** Adds a lognormal time around `median`. Its logarithm is correlated from one request to the next. */
export const autoregressive =
  (median: number, phi: number): Added =>
  (draw, n) => {
    let state = normal(draw);
    return Array.from({ length: n }, () => {
      state = phi * state + Math.sqrt(1 - phi ** 2) * normal(draw);
      return median * Math.exp(0.5 * state);
    });
  };

/** Adds a lognormal time around `median`. Each burst of `length` requests has the same time. */
export const inBursts =
  (median: number, length: number): Added =>
  (draw, n) => {
    let state = 0;
    const offset = Math.floor(draw() * length);
    return Array.from({ length: n }, (_, i) => {
      if (i === 0 || (i + offset) % length === 0) state = normal(draw);
      return median * Math.exp(0.5 * state);
    });
  };

export interface PairStream {
  readonly perSecond: number;
  readonly seconds: number;
  readonly added: Added;
  /** The standard deviation of the noise of each side, in ms. */
  readonly noise?: number;
}

/** Returns the pairs of a run. The upstream's time wanders, equally for both sides of a pair. */
export const pairsOf = (
  seed: number,
  { perSecond, seconds, added, noise = 0 }: PairStream,
): readonly PairedTimes[] => {
  const draw = uniformFrom(seed);
  const n = perSecond * seconds;
  let upstream = 0;
  return added(draw, n).map((extra, i) => {
    upstream = 0.9 * upstream + normal(draw);
    const time = 200 + 20 * upstream;
    return {
      second: Math.floor(i / perSecond),
      base: time + noise * normal(draw),
      next: time + extra + noise * normal(draw),
    };
  });
};

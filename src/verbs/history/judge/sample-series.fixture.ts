import { drawFrom, drawNormal } from '../../../model/workload/draw.ts';
import { changePoints } from './trends.ts';

/** Test support: logarithms of a figure with 5 % noise between runs. Each level is a number of runs and a factor. */
const series = (seed: number, levels: readonly (readonly [number, number])[]): number[] => {
  const draw = drawFrom(seed, 1);
  return levels.flatMap(([count, factor]) =>
    Array.from({ length: count }, () => Math.log(factor) + 0.05 * drawNormal(draw)),
  );
};

/** The changes in such a series. */
export const foundChanges = (seed: number, levels: readonly (readonly [number, number])[]) =>
  changePoints(series(seed, levels), drawFrom(seed, 2));

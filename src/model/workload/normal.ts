import type { Draw } from './draw.ts';

/** A standard normal variate of two uniform ones (Box and Muller 1958). */
export const drawNormal = (draw: Draw): number => {
  const radius = Math.sqrt(-2 * Math.log1p(-draw.uniform()));
  return radius * Math.cos(2 * Math.PI * draw.uniform());
};

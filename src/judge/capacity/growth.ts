import type { EstimatedRange } from '../../model/series/capacity.ts';
import { criticalT } from '../statistics/student-t.ts';

/** The lag-1 autocorrelation of residuals, 0 … 0.9; negative values count as 0. */
const autocorrelation = (residuals: readonly number[]): number => {
  let own = 0;
  let next = 0;
  for (const [i, residual] of residuals.entries()) {
    own += residual * residual;
    next += residual * (residuals[i + 1] ?? 0);
  }
  return own === 0 ? 0 : Math.min(0.9, Math.max(0, next / own));
};

/**
 * The slope of a series over its index by least squares, with a 95 % interval. Neighbours correlate, so
 * the number of samples is reduced to n (1 − ρ) / (1 + ρ), ρ their lag-1 autocorrelation (Bayley &
 * Hammersley 1946). With fewer than three samples the interval is unbounded.
 */
export const slopeOf = (series: readonly number[]): EstimatedRange => {
  const n = series.length;
  const boundless = { low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY };
  if (n < 3) return { value: 0, ...boundless };
  const middle = (n - 1) / 2;
  const mean = series.reduce((sum, value) => sum + value, 0) / n;
  const spread = (n * (n * n - 1)) / 12;
  const value = series.reduce((sum, each, i) => sum + (i - middle) * (each - mean), 0) / spread;
  const residuals = series.map((each, i) => each - mean - value * (i - middle));
  const rho = autocorrelation(residuals);
  const effective = Math.max(3, (n * (1 - rho)) / (1 + rho));
  const variance = residuals.reduce((sum, each) => sum + each * each, 0) / (effective - 2);
  const error = criticalT(0.05, effective - 2) * Math.sqrt(variance / spread);
  return { value, low: value - error, high: value + error };
};

import { beyondT, criticalT } from './student-t.ts';

/** The difference of two sets of values, and its uncertainty. */
export interface Contrast {
  /** Mean of the second less mean of the first. */
  readonly difference: number;
  readonly error: number;
  readonly freedom: number;
  /** Two-sided. */
  readonly p: number;
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** The sample variance; `values` are at least two. */
export const varianceOf = (values: readonly number[]): number => {
  const mean = meanOf(values);
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1);
};

/**
 * Welch's t test: B. L. Welch, "The generalization of 'Student's' problem when several different
 * population variances are involved", Biometrika 34 (1947), with the degrees of freedom of
 * F. E. Satterthwaite, Biometrics Bulletin 2 (1946). Each side has at least two values. `resolution` is
 * the variance of a value from rounding alone.
 */
export const welch = (
  first: readonly number[],
  second: readonly number[],
  resolution: number,
): Contrast => {
  const parts = [first, second].map((values) => ({
    squared: Math.max(varianceOf(values), resolution) / values.length,
    freedom: values.length - 1,
  }));
  const squared = parts.reduce((sum, part) => sum + part.squared, 0);
  const freedom =
    squared ** 2 / parts.reduce((sum, part) => sum + part.squared ** 2 / part.freedom, 0);
  const difference = meanOf(second) - meanOf(first);
  const error = Math.sqrt(squared);
  return { difference, error, freedom, p: beyondT(difference / error, freedom) };
};

/** Half the width of the confidence interval whose chance of missing the true difference is `alpha`. */
export const halfWidth = ({ error, freedom }: Contrast, alpha: number): number =>
  criticalT(alpha, freedom) * error;

/** Returns the value that a share `q` of the arrivals does not pass, where failures are infinite. */
export const percentileWithFailures = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(values.length * q - 1e-9) - 1)] ??
  Number.POSITIVE_INFINITY;

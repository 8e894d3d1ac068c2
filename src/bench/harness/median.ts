/** The upper one of an even number; not a number where one of them is none. */
export const median = (values: readonly number[]): number =>
  values.some(Number.isNaN)
    ? Number.NaN
    : (values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN);

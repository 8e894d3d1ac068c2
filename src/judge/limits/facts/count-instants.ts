/** Counts the `times` before `moment`; they are ascending. */
export const countBefore = (times: Float64Array, moment: number): number => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! < moment) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Counts the `times` up to and including `moment`; they are ascending. */
export const countUpTo = (times: Float64Array, moment: number): number => {
  let low = 0;
  let high = times.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (times[middle]! <= moment) low = middle + 1;
    else high = middle;
  }
  return low;
};

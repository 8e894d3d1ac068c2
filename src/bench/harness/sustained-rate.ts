/**
 * Of a pace, the least share that must have been kept for a round to count: a load that was not there proves
 * nothing of who took it.
 */
const minSustainedShare = 0.95;

export const sustainsRate = (rate: number, pace: number): boolean =>
  rate >= minSustainedShare * pace;

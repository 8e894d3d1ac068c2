/**
 * The p-values of several tests, in the given order, adjusted so that the probability of any false alarm
 * stays below the level: S. Holm, "A simple sequentially rejective multiple test procedure",
 * Scandinavian Journal of Statistics 6 (1979).
 */
export const holm = (values: readonly number[]): readonly number[] => {
  const order = values.map((_, i) => i).sort((a, b) => values[a]! - values[b]!);
  const adjusted = values.map(() => 1);
  let least = 0;
  for (const [rank, i] of order.entries()) {
    least = Math.max(least, Math.min(1, values[i]! * (values.length - rank)));
    adjusted[i] = least;
  }
  return adjusted;
};

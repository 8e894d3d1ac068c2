/** The distance of axis ticks: the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `rough`. */
export const roundStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
};

/** An axis from zero to a round number, with about four steps; places on it are shares of its length. */
export const axisTo = (most: number, textOf: (value: number) => string) => {
  const step = roundStep(most / 4);
  const count = Math.ceil(most / step - 1e-9);
  const shareOf = (value: number): number => value / (count * step);
  const ticks = Array.from({ length: count + 1 }, (_, i) => ({
    at: i / count,
    text: textOf(i * step),
  }));
  return { end: count * step, shareOf, ticks };
};

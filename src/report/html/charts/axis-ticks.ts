/** The distance of axis ticks: the smallest of 1, 2, 2.5 and 5 times a power of ten that is at least `rough`. */
export const roundStep = (rough: number): number => {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough) ?? 10);
};

/** About four round steps from zero to at least `top`. */
export const axisTicks = (top: number): readonly number[] => {
  const step = roundStep(top / 4);
  return Array.from({ length: Math.ceil(top / step - 1e-9) + 1 }, (_, i) => i * step);
};

import type { FigureError } from './verdict.ts';

/** The signal that judges the measurement errors of the headline figures. */
export const figuresSignalName = 'measurement error';

/** The headline figures that the trust verdict is about. Percentiles of too few samples are among them only where there are no others. */
export const judgedFigures = (figures: readonly FigureError[]): readonly FigureError[] => {
  const headline = figures.filter(({ isHeadline }) => isHeadline);
  const firm = headline.filter(({ isWeak }) => !isWeak);
  return firm.length === 0 ? headline : firm;
};

import type { FigureError } from './verdict.ts';

export const figuresSignalName = 'measurement error';

/** Returns the headline figures that the verdict on trust is about: those with enough samples, or all if none has. */
export const judgedFigures = (figures: readonly FigureError[]): readonly FigureError[] => {
  const headline = figures.filter(({ isHeadline }) => isHeadline);
  const firm = headline.filter(({ isWeak }) => !isWeak);
  return firm.length === 0 ? headline : firm;
};

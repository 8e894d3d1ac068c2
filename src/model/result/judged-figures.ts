import { measures } from '../measures/measures.ts';
import type { FigureError } from './verdict.ts';

export const figuresSignalName = 'measurement error';

/** The headline figures that the verdict on trust concerns: those with enough samples, or all if none has enough. */
export const judgedFigures = (figures: readonly FigureError[]): readonly FigureError[] => {
  const headline = figures.filter(({ isHeadline }) => isHeadline);
  const firm = headline.filter(({ isWeak }) => !isWeak);
  return firm.length === 0 ? headline : firm;
};

/** How well a figure is known: exact, approximate, or unknown if it can be off by more than half and 5 ms. */
export type Exactness = 'exact' | 'approximate' | 'unknown';

/** The share of a figure up to which its error leaves it approximate. */
const approximateShare = 0.5;
/** In ms. */
const approximateTime = 5;

export const exactnessOf = ({ isSmall, value, low, high, measure }: FigureError): Exactness => {
  if (isSmall) return 'exact';
  const allowed = Math.max(
    value * approximateShare,
    measures[measure].unit === 'ms' ? approximateTime : 0,
  );
  return Math.max(value - low, high - value) <= allowed ? 'approximate' : 'unknown';
};

/** Decides whether nothing is known of any headline figure. */
export const isNothingKnown = (figures: readonly FigureError[]): boolean => {
  const judged = judgedFigures(figures);
  return judged.length > 0 && judged.every((figure) => exactnessOf(figure) === 'unknown');
};

import { measures } from '../measures/measures.ts';
import type { FigureError } from './verdict.ts';

export const figuresSignalName = 'measurement error';

/**
 * Returns the headline figures on which the verdict on trust depends: the headline figures with enough samples. If no
 * headline figure has enough samples, returns all headline figures.
 */
export const judgedFigures = (figures: readonly FigureError[]): readonly FigureError[] => {
  const headline = figures.filter(({ isHeadline }) => isHeadline);
  const firm = headline.filter(({ isWeak }) => !isWeak);
  return firm.length === 0 ? headline : firm;
};

/**
 * How well a figure is known: exactly, approximately, or not at all. A figure is unknown if its error may exceed both
 * half of the figure and 5 ms.
 */
export type Exactness = 'exact' | 'approximate' | 'unknown';

/** A figure is approximate if its error is at most this share of the figure. With a larger error, it is unknown. */
const approximateShare = 0.5;
/** A time is also approximate if its error is at most this many ms, however short the time is. */
const approximateTime = 5;

export const exactnessOf = ({ isSmall, value, low, high, measure }: FigureError): Exactness => {
  if (isSmall) return 'exact';
  const allowed = Math.max(
    value * approximateShare,
    measures[measure].unit === 'ms' ? approximateTime : 0,
  );
  return Math.max(value - low, high - value) <= allowed ? 'approximate' : 'unknown';
};

/** The largest error that needs no action, as a share of the figure. */
const slightShare = 0.25;

/**
 * Returns whether the error of an approximate figure is at most 5 ms and at most a quarter of the figure. Even an idle
 * machine sometimes reads a chunk a few ms late. Such an error is reported, but not as a warning.
 */
export const isSlightlyOff = ({ value, low, high }: FigureError): boolean =>
  Math.max(value - low, high - value) <= Math.min(value * slightShare, approximateTime);

/** Returns whether all judged headline figures are unknown. */
export const isNothingKnown = (figures: readonly FigureError[]): boolean => {
  const judged = judgedFigures(figures);
  return judged.length > 0 && judged.every((figure) => exactnessOf(figure) === 'unknown');
};

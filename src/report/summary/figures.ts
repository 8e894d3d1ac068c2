import type { ErrorBounds, FigureError, Trust } from '../../model/result/verdict.ts';
import { present } from '../text/present.ts';
import { decimalsOf, figureText } from '../text/number-text.ts';
import { reportedQuantiles, slowQuantile } from '../../model/measures/headline.ts';
import type { Measure } from '../../model/measures/measure.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { isNothingKnown } from '../../model/result/judged-figures.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import {
  figuresOver,
  MeasuredFigures,
  type MeasuredQuantile,
  firstMeasuredSecond,
  groupsMatching,
  type LabelFilter,
  lagOver,
  measuresPresent,
  outsideWarmUp,
} from '../../model/result/summary.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import { sumOf } from '../../model/sums.ts';

type BoundedFigure = ErrorBounds & { readonly value: number };

/**
 * Returns by how much a figure may be too high and too low, as rounded texts. A text is `null` if the amount rounds to
 * zero at the precision of the figure. `unbounded` means that the figure may be too low by any amount.
 */
const errorSizes = ({
  value,
  low,
  high,
}: BoundedFigure):
  | 'unbounded'
  | { readonly tooHigh: string | null; readonly tooLow: string | null } => {
  if (!Number.isFinite(high)) return 'unbounded';
  const digits = decimalsOf(value);
  const sizeText = (size: number): string | null => {
    const rounded = Number(Math.max(0, size).toFixed(digits));
    return rounded === 0
      ? null
      : rounded.toLocaleString('en-US', { minimumFractionDigits: digits });
  };
  return { tooHigh: sizeText(value - low), tooLow: sizeText(high - value) };
};

/**
 * Formats the error of a figure: the true figure may be lower (`−1.2`), higher (`+0.3`), or both (`±0.4`, `−0.4 +0.6`).
 * Returns `null` if both amounts round to 0.
 */
export const errorText = (error: BoundedFigure): string | null => {
  const sizes = errorSizes(error);
  if (sizes === 'unbounded') return sizes;
  const { tooHigh, tooLow } = sizes;
  if (tooHigh === tooLow) return tooHigh === null ? null : `±${tooHigh}`;
  return present([tooHigh !== null && `−${tooHigh}`, tooLow !== null && `+${tooLow}`]).join(' ');
};

/** Formats the error of a figure in words, such as `up to 14 too high`; `null` if the error rounds to 0. */
export const errorWords = (error: BoundedFigure): string | null => {
  const sizes = errorSizes(error);
  if (sizes === 'unbounded') return 'by any amount';
  const { tooHigh, tooLow } = sizes;
  if (tooHigh === null && tooLow === null) return null;
  if (tooHigh === tooLow) return `up to ${tooHigh} too high or too low`;
  return `up to ${present([tooHigh !== null && `${tooHigh} too high`, tooLow !== null && `${tooLow} too low`]).join(' or ')}`;
};

/**
 * Formats the error beside a percentile. The tone is a warning unless the error is small; `undefined` without an error.
 */
export const markedErrorText = (
  error: FigureError | null,
): { readonly text: string; readonly tone: 'quiet' | 'warning' } | undefined => {
  const text = error === null ? null : errorText(error);
  if (error === null || text === null) return undefined;
  return { text, tone: error.isSmall ? 'quiet' : 'warning' };
};

/**
 * The filters that `measuredOf` returns. Each kind of traffic always has the same filter object, since the figures of a
 * result are cached by filter object.
 */
const measuredFilters = Object.fromEntries(
  trafficKinds.map((kind): [TrafficKind, LabelFilter] => [
    kind,
    (labels) => outsideWarmUp(labels) && labels.traffic === kind,
  ]),
) as Readonly<Record<TrafficKind, LabelFilter>>;

/** Returns the filter that selects the groups of one kind of traffic after the warm-up. */
export const measuredOf = (kind: TrafficKind): LabelFilter => measuredFilters[kind];

export const averageOf = (values: readonly number[]): number | null =>
  values.length === 0 ? null : sumOf(values) / values.length;

/** The subject of a row of figures: a measure, or the lag of the load generator. */
export type FiguresSubject = Pick<Measure, 'label' | 'short' | 'unit' | 'better' | 'definition'>;

/**
 * Formats a percentile in about three digits. `~` marks a percentile with fewer than ten independent samples beyond it.
 * `*` marks a percentile of completed requests that would be different if failures counted.
 */
export const percentileText = ({ value, weak, ofShare }: MeasuredQuantile, unit: string): string =>
  `${weak ? '~' : ''}${figureText(value, unit)}${ofShare === undefined ? '' : '*'}`;

/**
 * Formats the share of arrivals that completed, such as `of 70 %`. Returns `null` if counting the arrivals that did not
 * complete would not change the percentile.
 */
export const completedShareText = ({ ofShare }: MeasuredQuantile): string | null => {
  if (ofShare === undefined) return null;
  const parts = ofShare < 0.99 ? 100 : 1000;
  return `of ${(Math.floor(ofShare * parts + 1e-9) * 100) / parts} %`;
};

/** A percentile. `error` is `null` if the load generator has not affected the percentile. */
interface ReportedQuantile extends MeasuredQuantile {
  readonly error: FigureError | null;
}

export interface MeasureFigures {
  readonly subject: FiguresSubject;
  readonly n: number;
  /**
   * The quantiles in the order of `reportedQuantiles`. The quantiles of a speed are at the slow end: for example, p5
   * instead of p95.
   */
  readonly quantiles: readonly ReportedQuantile[];
  readonly max: number;
  /** Whether the report prints no figure of the measure, since the figures would look better than the target is. */
  readonly withheld: boolean;
}

export const lagSubject: FiguresSubject = {
  label: 'Generator lag',
  short: 'Generator lag',
  unit: 'ms',
  better: 'lower',
  definition:
    'From released to begun: how late the generator itself acted. Connecting and a slow server are not in it.',
};

/** The measures of each kind in the headline table. The first is the most important for a user who waits. */
export const tableMeasures = {
  chat: ['endToEnd', 'serviceTime'],
  'chat-stream': ['ttft', 'gap', 'stall', 'tpot', 'outputSpeed', 'endToEnd', 'serviceTime'],
  speech: ['firstAudio', 'endToEnd', 'speechFactor', 'speakingSpeed'],
  transcription: ['endToEnd', 'transcriptionFactor', 'wordErrorRate'],
  models: ['endToEnd', 'serviceTime'],
} as const satisfies Record<TrafficKind, readonly MeasureName[]>;

/**
 * Returns whether the figures of a measure must not be shown. A starved event loop reads many chunks in one turn, so
 * gaps shrink towards zero and look better than they are.
 */
export const isWithheld = (name: MeasureName, { level, figures }: Trust): boolean =>
  (name === 'gap' || name === 'stall') && (level === 'invalid' || isNothingKnown(figures));

/** Returns the measurement error of a percentile of one kind of traffic; `null` if the percentile has no error. */
export const figureErrorOf = (
  { figures }: Trust,
  traffic: TrafficKind,
  measure: MeasureName,
  q: number,
): FigureError | null =>
  figures.find((each) => each.traffic === traffic && each.measure === measure && each.q === q) ??
  null;

const figuresOf = (
  subject: FiguresSubject,
  figures: MeasuredFigures,
  withheld: boolean,
  errorOf: (q: number) => FigureError | null,
): MeasureFigures | null => {
  const { count: n, max } = figures;
  if (max === null) return null;
  const quantiles = reportedQuantiles.flatMap((each) => {
    const q = slowQuantile(each, subject.better);
    const found = figures.percentile(q);
    return found === null ? [] : { ...found, error: errorOf(q) };
  });
  return { subject, n, quantiles, max, withheld };
};

/** Returns the kinds of traffic in the result, beginning with the kind that has most arrivals. */
export const kindsPresent = (result: Result): readonly TrafficKind[] => {
  const arrivals = (kind: TrafficKind): number =>
    countArrivals(sumOutcomes(groupsMatching(result, ({ traffic }) => traffic === kind)));
  return trafficKinds
    .filter((kind) => arrivals(kind) > 0)
    .toSorted((a, b) => arrivals(b) - arrivals(a));
};

export const kindFigures = (result: Result, trust: Trust, kind: TrafficKind) => {
  const where = measuredOf(kind);
  const headline: readonly MeasureName[] = tableMeasures[kind];
  const rows = (names: readonly MeasureName[]): readonly MeasureFigures[] =>
    names.flatMap((name) => {
      const figures = figuresOver(result, name, where);
      const errorOf = (q: number) => figureErrorOf(trust, kind, name, q);
      return figuresOf(measures[name], figures, isWithheld(name, trust), errorOf) ?? [];
    });
  return {
    kind,
    headline: rows(headline),
    otherMeasures: rows(measuresPresent(result, where).filter((name) => !headline.includes(name))),
  };
};

export type KindFigures = ReturnType<typeof kindFigures>;

/**
 * Returns the figures of the generator's lag over the measured window, with two significant digits; `null` without
 * samples.
 */
export const lagFigures = (result: Result): MeasureFigures | null => {
  const first = firstMeasuredSecond(result);
  const lag = lagOver(result.timeline.filter(({ second }) => second >= first));
  return figuresOf(lagSubject, new MeasuredFigures(lag), false, () => null);
};

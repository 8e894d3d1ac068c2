import type { Histogram } from '../../model/measures/histogram.ts';
import type { Measure } from '../../model/measures/measure.ts';
import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { quantile, type Quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import {
  distributionOf,
  firstMeasuredSecond,
  groupsMatching,
  lagOver,
  outsideWarmUp,
  measuresPresent,
  type LabelFilter,
} from '../../model/result/summary.ts';
import { type TrafficKind, trafficKinds } from '../../model/workload/traffic.ts';
import type { Trust } from '../../model/result/verdict.ts';

/** The figures that every report prints, read out of a result once and in one way. */

/** The percentiles of a headline table. */
export const reportedQuantiles = [0.5, 0.9, 0.95, 0.99] as const;

/** What a row of figures is about: a measure of the table, or the generator's lag. */
export type FiguresSubject = Pick<Measure, 'label' | 'short' | 'unit' | 'better' | 'definition'>;

/** One measure's distribution in figures. */
export interface MeasureFigures {
  readonly subject: FiguresSubject;
  readonly n: number;
  /** In the order of `reportedQuantiles`. */
  readonly quantiles: readonly Quantile[];
  readonly max: number;
  /** The generator was too unwell for this measure to mean anything: print no figure. */
  readonly withheld: boolean;
}

/** The generator's own lateness: one for all kinds of traffic. */
export const lagSubject: FiguresSubject = {
  label: 'Generator lag',
  short: 'Generator lag',
  unit: 'ms',
  better: 'lower',
  definition:
    'From released to begun: how late the generator itself acted. Connecting and a slow server are not in it.',
};

/** What a headline table shows of each kind; the rest stands below it or in the result file. The first is what matters most while a user waits. */
export const headlineMeasures = {
  chat: ['endToEnd', 'serviceTime'],
  'chat-stream': ['ttft', 'gap', 'stall', 'tpot', 'outputSpeed', 'endToEnd', 'serviceTime'],
  speech: ['firstAudio', 'endToEnd', 'speechFactor', 'speakingSpeed'],
  transcription: ['endToEnd', 'transcriptionFactor', 'wordErrorRate'],
  models: ['endToEnd', 'serviceTime'],
} as const satisfies Record<TrafficKind, readonly MeasureName[]>;

/** When the loop is starved, many chunks are read in one turn and gaps collapse towards zero: a lie that looks good. */
const invalidWhenStarved: ReadonlySet<MeasureName> = new Set<MeasureName>(['gap', 'stall']);
export const isWithheld = (name: MeasureName, trust: Trust): boolean =>
  trust.level === 'invalid' && invalidWhenStarved.has(name);

const figuresOf = (
  subject: FiguresSubject,
  histogram: Histogram,
  withheld: boolean,
): MeasureFigures | null => {
  if (histogram.max === null) return null;
  const quantiles = reportedQuantiles.flatMap((q) => quantile(histogram, q) ?? []);
  return { subject, n: histogram.count, quantiles, max: histogram.max, withheld };
};

export interface KindFigures {
  readonly kind: TrafficKind;
  readonly headline: readonly MeasureFigures[];
  readonly otherMeasures: readonly MeasureFigures[];
}

/** The kinds of traffic that the result holds, those with the most arrivals first. */
export const kindsPresent = (result: Result): readonly TrafficKind[] => {
  const arrivals = (kind: TrafficKind): number =>
    countArrivals(sumOutcomes(groupsMatching(result, ({ traffic }) => traffic === kind)));
  return trafficKinds
    .filter((kind) => arrivals(kind) > 0)
    .toSorted((a, b) => arrivals(b) - arrivals(a));
};

/** Every measure of one kind of traffic over the measured window. */
export const kindFigures = (result: Result, trust: Trust, kind: TrafficKind): KindFigures => {
  const where: LabelFilter = (labels) => outsideWarmUp(labels) && labels.traffic === kind;
  const headline: readonly MeasureName[] = headlineMeasures[kind];
  const rows = (names: readonly MeasureName[]): readonly MeasureFigures[] =>
    names.flatMap((name) => {
      const histogram = distributionOf(result, name, where);
      return figuresOf(measures[name], histogram, isWithheld(name, trust)) ?? [];
    });
  return {
    kind,
    headline: rows(headline),
    otherMeasures: rows(measuresPresent(result, where).filter((name) => !headline.includes(name))),
  };
};

/** The generator's lag over the measured window, at the timeline's two digits; `null` without samples. */
export const lagFigures = (result: Result): MeasureFigures | null => {
  const first = firstMeasuredSecond(result);
  return figuresOf(
    lagSubject,
    lagOver(result.timeline.filter(({ second }) => second >= first)),
    false,
  );
};

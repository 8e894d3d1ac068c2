import type { Histogram } from '../model/histogram.ts';
import type { Measure } from '../model/measure.ts';
import { type MeasureName, measures } from '../model/measures.ts';
import { quantile, type Quantile } from '../model/quantile.ts';
import type { Result } from '../model/result.ts';
import { arrivalsIn, outcomesOf } from '../model/outcomes.ts';
import {
  distribution,
  firstMeasuredSecond,
  groupsWhere,
  lagOver,
  measured,
  measuresPresent,
  type Where,
} from '../model/summary.ts';
import { type TrafficKind, trafficKinds } from '../model/traffic.ts';
import type { Trust } from '../model/verdict.ts';

/** The figures that every report prints, read out of a result once and in one way. */

/** The percentiles of a headline table. */
export const shownQuantiles = [0.5, 0.9, 0.95, 0.99] as const;

/** What a row of figures is about: a measure of the table, or the generator's lag. */
export type Subject = Pick<Measure, 'label' | 'short' | 'unit' | 'better' | 'definition'>;

/** One measure's distribution in figures. */
export interface Figures {
  readonly subject: Subject;
  readonly n: number;
  /** In the order of `shownQuantiles`. */
  readonly quantiles: readonly Quantile[];
  readonly max: number;
  /** The generator was too unwell for this measure to mean anything: print no figure. */
  readonly withheld: boolean;
}

/** The generator's own lateness: one for all kinds of traffic. */
export const lag: Subject = {
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
const spoiledByStarvation: ReadonlySet<MeasureName> = new Set<MeasureName>(['gap', 'stall']);
export const isWithheld = (name: MeasureName, trust: Trust): boolean =>
  trust.level === 'invalid' && spoiledByStarvation.has(name);

const figuresOf = (subject: Subject, histogram: Histogram, withheld: boolean): Figures | null => {
  if (histogram.max === null) return null;
  const quantiles = shownQuantiles.flatMap((q) => quantile(histogram, q) ?? []);
  return { subject, n: histogram.count, quantiles, max: histogram.max, withheld };
};

export interface KindFigures {
  readonly kind: TrafficKind;
  readonly headline: readonly Figures[];
  readonly further: readonly Figures[];
}

/** The kinds of traffic that the result holds, those with the most arrivals first. */
export const kindsPresent = (result: Result): readonly TrafficKind[] => {
  const arrivals = (kind: TrafficKind): number =>
    arrivalsIn(outcomesOf(groupsWhere(result, ({ traffic }) => traffic === kind)));
  return trafficKinds
    .filter((kind) => arrivals(kind) > 0)
    .toSorted((a, b) => arrivals(b) - arrivals(a));
};

/** Every measure of one kind of traffic over the measured window. */
export const kindFigures = (result: Result, trust: Trust, kind: TrafficKind): KindFigures => {
  const where: Where = (labels) => measured(labels) && labels.traffic === kind;
  const headline: readonly MeasureName[] = headlineMeasures[kind];
  const rows = (names: readonly MeasureName[]): readonly Figures[] =>
    names.flatMap((name) => {
      const histogram = distribution(result, name, where);
      return figuresOf(measures[name], histogram, isWithheld(name, trust)) ?? [];
    });
  return {
    kind,
    headline: rows(headline),
    further: rows(measuresPresent(result, where).filter((name) => !headline.includes(name))),
  };
};

/** The generator's lag over the measured window, at the timeline's two digits; `null` without samples. */
export const lagFigures = (result: Result): Figures | null => {
  const first = firstMeasuredSecond(result);
  return figuresOf(lag, lagOver(result.timeline.filter(({ second }) => second >= first)), false);
};

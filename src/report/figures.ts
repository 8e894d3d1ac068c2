import type { Histogram } from '../model/histogram.ts';
import { type Measure, type MeasureName, measures } from '../model/measures.ts';
import { type TokenSource, tokenSources } from '../model/observation.ts';
import { quantile, type Quantile } from '../model/quantile.ts';
import type { Result } from '../model/result.ts';
import {
  arrivalsIn,
  distribution,
  groupsWhere,
  lagOver,
  measured,
  measuredSeconds,
  measuresPresent,
  outcomesOf,
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

/** Measures that a headline table shows; the rest stand below it or in the result file. */
const headline: ReadonlySet<MeasureName> = new Set<MeasureName>([
  'ttft',
  'gap',
  'stall',
  'tpot',
  'outputSpeed',
  'endToEnd',
  'serviceTime',
]);
const isHeadline = (name: MeasureName): boolean => headline.has(name);

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
  const rows = measuresPresent(result, where).flatMap((name) => {
    const histogram = distribution(result, name, where);
    const figures = figuresOf(measures[name], histogram, isWithheld(name, trust));
    return figures === null ? [] : [{ name, figures }];
  });
  const pick = (wanted: boolean): readonly Figures[] =>
    rows.filter(({ name }) => isHeadline(name) === wanted).map(({ figures }) => figures);
  return { kind, headline: pick(true), further: pick(false) };
};

/** The generator's lag over the measured window, at the timeline's two digits; `null` without samples. */
export const lagFigures = ({ timeline, plan }: Result): Figures | null =>
  figuresOf(lag, lagOver(timeline.filter(({ second }) => second * 1000 >= plan.warmUp)), false);

/** What passed per second of the measured window; counts are of requests that were due in it. */
export interface Rates {
  readonly seconds: number;
  readonly offered: number;
  readonly sent: number;
  readonly completed: number;
  /** Sources are never mixed: one row for each that occurs. `input` is `null` where no answer told it. */
  readonly tokens: readonly {
    readonly source: TokenSource;
    readonly answers: number;
    readonly input: number | null;
    readonly output: number;
  }[];
}

/** `null` when the measured window is empty. */
export const ratesOf = (result: Result): Rates | null => {
  const seconds = measuredSeconds(result);
  if (seconds === 0) return null;
  const groups = groupsWhere(result, measured);
  const outcomes = outcomesOf(groups);
  const tokens = tokenSources.flatMap((source) => {
    const sums = groups.flatMap((group) => group.tokens.filter((sum) => sum.source === source));
    const total = (field: 'answers' | 'answersWithInput' | 'input' | 'output'): number =>
      sums.reduce((sum, part) => sum + part[field], 0);
    if (total('answers') === 0) return [];
    const input = total('answersWithInput') === 0 ? null : total('input') / seconds;
    return [{ source, answers: total('answers'), input, output: total('output') / seconds }];
  });
  return {
    seconds,
    offered: arrivalsIn(outcomes) / seconds,
    sent: groups.reduce((sum, group) => sum + group.sent, 0) / seconds,
    completed: outcomes.completed / seconds,
    tokens,
  };
};

import { limitsOfKey } from '../../../model/plan/limits-per-minute.ts';
import type { TimelineSecond } from '../../../model/measures/counts.ts';
import type { Histogram } from '../../../model/measures/histogram.ts';
import { measures } from '../../../model/measures/measures.ts';
import { countFailed } from '../../../model/measures/outcome-counts.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import { type Ledger, toLedgerEntry } from '../../../model/observation/ledger.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import { canaryErrors } from '../../../model/result/canary.ts';
import type { GeneratorSample, Result } from '../../../model/result/result.ts';
import { lagOver, latencyOver } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import {
  type FiguresSubject,
  isWithheld,
  kindsPresent,
  lagSubject,
} from '../../summary/figures.ts';
import {
  type Bins,
  chartLines,
  chartMarks,
  chartValue,
  countBins,
  hasValues,
  intoBins,
  percentileBins,
  timeChart,
} from './bins.ts';
import type { Chart, ChartLine, ChartMarks } from './chart.ts';
import { sumOf } from '../../../model/sums.ts';

/**
 * This file makes the charts over time of the client's measurements: latencies, requests per second, requests in
 * flight, the load generator, and the limits of each key.
 */

/** Draws p50, p95 and p99. If no bin has enough samples for a p95, draws the maximum instead of p95 and p99. */
const percentileLines = (histograms: readonly Histogram[]): readonly ChartLine[] => {
  const at = (q: number) => (histogram: Histogram) => {
    // If no sample lies beyond a percentile, the percentile equals the maximum. It is then not drawn.
    const isDrawable = q <= 0.5 || histogram.count * (1 - q) >= 1 - 1e-9;
    const figure = isDrawable ? quantile(histogram, q) : null;
    return figure === null ? null : chartValue(figure.value);
  };
  const lines = chartLines(histograms, [
    ['p50', 'p50', at(0.5), 'strong'],
    ['p95', 'p95', at(0.95)],
    ['p99', 'p95', at(0.99), 'dashed'],
    ['max', 'p95', ({ max }) => max, 'dashed'],
  ]);
  const tail = lines.slice(1, 3).filter(hasValues);
  return [lines[0]!, ...(tail.length > 0 ? tail : lines.slice(3))];
};

/** Marks failures by outcome, in the bins in which the requests ended. Outcomes that did not occur have no marks. */
const failureMarks = (result: Result, bins: Bins): readonly ChartMarks[] =>
  chartMarks(
    intoBins(result.timeline, bins),
    outcomeKinds
      .filter((kind) => kind !== 'completed')
      .map((kind) => [kind, kind, (seconds) => sumOf(seconds, ({ outcomes }) => outcomes[kind])]),
  );

/** Charts percentiles over the time at which requests were due. Returns no chart without samples. */
const percentileCharts = (
  result: Result,
  id: string,
  { label, unit }: FiguresSubject,
  of: (seconds: readonly TimelineSecond[]) => Histogram,
): readonly Chart[] => {
  const samples = of(result.timeline).count;
  if (samples === 0) return [];
  const bins = percentileBins(result, samples);
  const lines = percentileLines(intoBins(result.timeline, bins).map(of));
  return [timeChart([id, label, unit], bins, lines, failureMarks(result, bins))];
};

/** Charts the latencies of completed requests, beginning with the time to the first output. Failures are marked. */
export const latencyCharts = (result: Result, trust: Trust): readonly Chart[] =>
  (['ttft', 'firstAudio', 'gap', 'endToEnd'] as const)
    .filter((name) => !isWithheld(name, trust))
    .flatMap((name) => {
      const measure = measures[name];
      const isShared = measure.traffic.length > 1;
      return kindsPresent(result).flatMap((kind) => {
        const subject = isShared ? { ...measure, label: `${measure.label}, ${kind}` } : measure;
        const of = (seconds: readonly TimelineSecond[]) => latencyOver(seconds, kind, name);
        return percentileCharts(result, isShared ? `${name}-${kind}` : name, subject, of);
      });
    });

const failedIn = ({ outcomes }: TimelineSecond): number => countFailed(outcomes) - outcomes.limited;

/**
 * Charts the requests per second that were due, sent, completed, limited or failed. The timeline contains only requests
 * that have ended. After `endedBefore` ms, the lines of due and sent requests would lack the requests in flight, so
 * these lines stop there.
 */
export const flowChart = (result: Result, endedBefore = Number.POSITIVE_INFINITY): Chart => {
  const bins = countBins(result);
  const rate = (of: (second: TimelineSecond) => number) => (seconds: readonly TimelineSecond[]) =>
    chartValue(sumOf(seconds, of) / bins.step);
  const rateOfEnded =
    (of: (second: TimelineSecond) => number) => (seconds: readonly TimelineSecond[], bin: number) =>
      (bin + 1) * bins.step * 1000 > endedBefore ? null : rate(of)(seconds);
  const [offered, ...others] = chartLines(intoBins(result.timeline, bins), [
    ['offered', 'due', rateOfEnded(({ due }) => due), 'dashed'],
    ['sent', 'sent', rateOfEnded(({ sent }) => sent)],
    ['completed', 'completed', rate(({ outcomes }) => outcomes.completed), 'strong'],
    ['cancelled', 'cancelled', rate(({ outcomes }) => outcomes.cancelled)],
    ['429', 'limited', rate(({ outcomes }) => outcomes.limited)],
    ['other failures', 'refused', rate(failedIn)],
  ]);
  const lines = [offered!, ...others.filter(({ values }) => values.some(Boolean))];
  return timeChart(['flow', 'Requests per second', '/s'], bins, lines, [], 'held');
};

/** Charts the requests in flight at the start of each second. A bin that is longer than a second shows its maximum. */
export const inFlightChart = (result: Result): Chart => {
  const bins = countBins(result);
  const change = new Map(result.timeline.map((each) => [each.second, each.begun - each.ended]));
  const levels = Array.from({ length: bins.count }, () => 0);
  let level = 0;
  for (let second = 0; second < bins.step * bins.count; second += 1) {
    const bin = Math.floor(second / bins.step);
    levels[bin] = Math.max(levels[bin]!, level);
    level += change.get(second) ?? 0;
  }
  const lines = chartLines(levels, [['in flight', 'sent', (each) => each, 'strong']]);
  const marks = failureMarks(result, bins).filter(({ label }) => label === 'dropped');
  return timeChart(['in-flight', 'In flight', ''], bins, lines, marks, 'held');
};

const worst =
  (of: (sample: GeneratorSample) => number | null, factor = 1) =>
  (samples: readonly GeneratorSample[]): number | null => {
    const values = samples.flatMap((sample) => of(sample) ?? []);
    return values.length === 0 ? null : chartValue(factor * Math.max(...values));
  };

/** Charts the lag, then the use of the event loop and the processor, then pauses such as garbage collection. */
export const generatorCharts = (result: Result): readonly Chart[] => {
  const samples = result.slices.flatMap(({ generator }) => generator);
  const lag = percentileCharts(result, 'lag', lagSubject, lagOver);
  const lagOnly = lag.map((chart) => ({ ...chart, marks: [] }));
  if (samples.length === 0) return lagOnly;
  const bins = countBins(result);
  const parts = intoBins(samples, bins);
  const busy = chartLines(parts, [
    ['loop utilisation', 'p50', worst(({ utilisation }) => utilisation, 100), 'strong'],
    ['CPU of one core', 'p95', worst(({ cpu }) => cpu, 100)],
    ['CPU wait', 'limited', worst(({ cpuWait }) => cpuWait, 100)],
  ]).filter(hasValues);
  const errorP99 = (sample: GeneratorSample): number | null =>
    quantile(canaryErrors([sample]), 0.99)?.value ?? null;
  const pauses = chartLines(parts, [
    ['loop delay p99', 'p50', worst(({ delayP99 }) => delayP99), 'strong'],
    ['longest loop delay', 'p95', worst(({ delayMax }) => delayMax), 'dashed'],
    ['longest garbage collection', 'limited', worst(({ gcMax }) => gcMax)],
    ['self-test lateness p99', 'sent', worst(errorP99)],
  ]).filter(hasValues);
  return [
    ...lagOnly,
    timeChart(['busy', 'Event loop and processor', '%'], bins, busy),
    timeChart(['pauses', 'Pauses', 'ms'], bins, pauses),
  ];
};

/** The maximum number of keys with a chart of their own. The table contains all keys. */
export const maxChartedKeys = 12;

const keyChart = (result: Result, { key, rows }: Ledger, index: number): Chart => {
  const bins = countBins(result);
  const entries = rows
    .map(toLedgerEntry)
    .filter(({ status }) => status > 0)
    .map((entry) => ({ ...entry, second: Math.max(0, Math.floor(entry.answered / 1000)) }));
  const parts = intoBins(entries, bins);
  const admitted = intoBins(
    entries.filter(({ status }) => status >= 200 && status < 300),
    { step: 1, count: bins.step * bins.count },
  );
  const admittedInMinuteBefore = (end: number): number =>
    sumOf(admitted.slice(Math.max(0, end - 60), end), (second) => second.length);
  const lowestRemaining = (part: readonly (typeof entries)[number][]): number | null => {
    const values = part.flatMap(({ remainingRequests }) => remainingRequests ?? []);
    return values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));
  };
  const limit = limitsOfKey(result.plan, key).requestsPerMinute;
  const lines = chartLines(parts, [
    ['lowest remaining', 'p50', lowestRemaining, 'strong'],
    [
      'admitted within the last minute',
      'completed',
      (_, bin) => admittedInMinuteBefore((bin + 1) * bins.step),
    ],
    ['limit per minute', 'p95', () => limit, 'dashed'],
  ]).slice(0, limit === null ? -1 : undefined);
  const marks = chartMarks(parts, [
    ['limited', 'limited', (part) => part.filter(({ status }) => status === 429).length],
  ]);
  const title = `Key ${key}: admitted requests, and remaining by header`;
  return timeChart([`key-${index}`, title, ''], bins, lines, marks, 'held');
};

/**
 * Charts each key's admitted requests, reported remaining quota and 429s. A key without any of these values has no
 * chart.
 */
export const keyCharts = (result: Result): readonly Chart[] =>
  result.ledger
    .slice(0, maxChartedKeys)
    .map((ledger, index) => keyChart(result, ledger, index))
    .filter(({ lines, marks }) => marks.length > 0 || hasValues(lines[0]!));

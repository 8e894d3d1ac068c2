import type { TimelineSecond } from '../../../model/measures/counts.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import type { Histogram } from '../../../model/measures/histogram.ts';
import { measures } from '../../../model/measures/measures.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import type { Result, GeneratorSample } from '../../../model/result/result.ts';
import { lagOver, latencyOver } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import {
  isWithheld,
  kindsPresent,
  lagSubject,
  type FiguresSubject,
} from '../../summary/figures.ts';
import {
  type Bins,
  chartLines,
  chartMarks,
  chartValue,
  hasValues,
  intoBins,
  percentileBins,
  countBins,
} from './bins.ts';
import type { Chart, ChartLine, ChartMarks } from './chart.ts';
import { canaryErrors } from '../../../model/result/canary.ts';
import { type Ledger, toLedgerEntry } from '../../../model/observation/ledger.ts';

/** Percentiles over time, by the second in which requests were due. */

/** A percentile is drawn only if its bin has a sample beyond it; otherwise it would be the maximum under another name. */
const drawableQuantile = (histogram: Histogram, q: number): number | null => {
  if (histogram.count * (1 - q) < 1 - 1e-9 && q > 0.5) return null;
  const figure = quantile(histogram, q);
  return figure === null ? null : chartValue(figure.value);
};

/** p50, p95 and p99; with too few samples for any p95, the maximum shows the tail. */
const percentileLines = (histograms: readonly Histogram[]): readonly ChartLine[] => {
  const at = (q: number) => (each: Histogram) => drawableQuantile(each, q);
  const lines = chartLines(histograms, [
    ['p50', 'p50', at(0.5), 'strong'],
    ['p95', 'p95', at(0.95)],
    ['p99', 'p95', at(0.99), 'dashed'],
    ['max', 'p95', ({ max }) => max, 'dashed'],
  ]);
  const tail = lines.slice(1, 3).filter(hasValues);
  return [lines[0]!, ...(tail.length > 0 ? tail : lines.slice(3))];
};

/** The failures per bin by outcome, by the second in which they ended; only outcomes that occurred. */
const failureMarks = (result: Result, bins: Bins): readonly ChartMarks[] =>
  chartMarks(
    intoBins(result.timeline, bins),
    outcomeKinds
      .filter((kind) => kind !== 'completed')
      .map((kind) => [
        kind,
        kind,
        (seconds) => seconds.reduce((sum, { outcomes }) => sum + outcomes[kind], 0),
      ]),
  );

/** No chart without samples. */
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
  const marks = failureMarks(result, bins);
  return [{ id, title: label, unit, step: bins.step, drawn: 'joined', lines, marks }];
};

/** Time to first token, time to first audio, chunk gap, then end to end for each kind of traffic. Completed requests only; failures are marked. */
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

const lagCharts = (result: Result): readonly Chart[] =>
  percentileCharts(result, 'lag', lagSubject, lagOver).map((chart) => ({ ...chart, marks: [] }));

/** Rates per second, and requests in flight. */

const failedIn = ({ outcomes }: TimelineSecond): number =>
  outcomeKinds
    .filter((kind) => kind !== 'completed' && kind !== 'limited')
    .reduce((sum, kind) => sum + outcomes[kind], 0);

/** Offered, sent, completed, 429 and other failures per second. */
export const flowChart = (result: Result): Chart => {
  const bins = countBins(result);
  const rate = (of: (second: TimelineSecond) => number) => (seconds: readonly TimelineSecond[]) =>
    chartValue(seconds.reduce((sum, second) => sum + of(second), 0) / bins.step);
  const lines = chartLines(intoBins(result.timeline, bins), [
    ['offered', 'due', rate(({ due }) => due), 'dashed'],
    ['sent', 'sent', rate(({ sent }) => sent)],
    ['completed', 'completed', rate(({ outcomes }) => outcomes.completed), 'strong'],
    ['429', 'limited', rate(({ outcomes }) => outcomes.limited)],
    ['other failures', 'refused', rate(failedIn)],
  ]);
  return {
    id: 'flow',
    title: 'Requests per second',
    unit: '/s',
    step: bins.step,
    drawn: 'held',
    lines: lines.filter(({ label, values }) => label === 'offered' || values.some(Boolean)),
    marks: [],
  };
};

const inFlightPerBin = (result: Result, { step, count }: Bins): readonly number[] => {
  const change = new Map(result.timeline.map((each) => [each.second, each.begun - each.ended]));
  const levels: number[] = [];
  let level = 0;
  for (let second = 0; second < step * count; second += 1) {
    if (second % step === 0) levels.push(level);
    else levels[levels.length - 1] = Math.max(levels.at(-1)!, level);
    level += change.get(second) ?? 0;
  }
  return levels;
};

/** Requests in flight at the start of each second; the maximum in a wider bin. */
export const inFlightChart = (result: Result): Chart => {
  const bins = countBins(result);
  const levels = inFlightPerBin(result, bins);
  return {
    id: 'in-flight',
    title: 'In flight',
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: chartLines(levels, [['in flight', 'sent', (level) => level, 'strong']]),
    marks: failureMarks(result, bins).filter(({ label }) => label === 'dropped'),
  };
};

/** The signals of the load generator. */

/** The worst value of all slices in a bin. */
const worst =
  (of: (sample: GeneratorSample) => number | null, factor = 1) =>
  (samples: readonly GeneratorSample[]): number | null => {
    const values = samples.flatMap((sample) => of(sample) ?? []);
    return values.length === 0
      ? null
      : chartValue(factor * values.reduce((a, b) => Math.max(a, b)));
  };

const percent = 100;

/** Lag, then the use of event loop and processor, then what blocked the loop. */
export const generatorCharts = (result: Result): readonly Chart[] => {
  const samples = result.slices.flatMap(({ generator }) => generator);
  const lag = lagCharts(result);
  if (samples.length === 0) return lag;
  const bins = countBins(result);
  const parts = intoBins(samples, bins);
  const common = { step: bins.step, drawn: 'joined', marks: [] } as const;
  const busy: Chart = {
    ...common,
    id: 'busy',
    title: 'Event loop and processor',
    unit: '%',
    lines: chartLines(parts, [
      ['loop utilisation', 'p50', worst(({ utilisation }) => utilisation, percent), 'strong'],
      ['CPU of one core', 'p95', worst(({ cpu }) => cpu, percent)],
      ['CPU wait', 'limited', worst(({ cpuWait }) => cpuWait, percent)],
    ]).filter(hasValues),
  };
  const errorP99 = (sample: GeneratorSample): number | null =>
    quantile(canaryErrors([sample]), 0.99)?.value ?? null;
  const pauses: Chart = {
    ...common,
    id: 'pauses',
    title: 'Pauses',
    unit: 'ms',
    lines: chartLines(parts, [
      ['loop delay p99', 'p50', worst(({ delayP99 }) => delayP99), 'strong'],
      ['longest loop delay', 'p95', worst(({ delayMax }) => delayMax), 'dashed'],
      ['longest garbage collection', 'limited', worst(({ gcMax }) => gcMax)],
      ['self-test lateness p99', 'sent', worst(errorP99)],
    ]).filter(hasValues),
  };
  return [...lag, busy, pauses];
};

/** With hundreds of keys, a chart for each helps nobody; the table has them all. */
export const maxChartedKeys = 12;

const lowestValue = (values: readonly number[]): number | null =>
  values.length === 0 ? null : values.reduce((a, b) => Math.min(a, b));

/** The number of requests that succeeded within the minute before each bin's end. */
const admittedInLastMinute = (
  entries: readonly { readonly second: number; readonly status: number }[],
  { step, count }: Bins,
): readonly number[] => {
  const admitted = entries.filter(({ status }) => status >= 200 && status < 300);
  const perSecond = intoBins(admitted, { step: 1, count: step * count });
  return Array.from({ length: count }, (_, bin) => {
    const end = (bin + 1) * step;
    return perSecond.slice(Math.max(0, end - 60), end).flat().length;
  });
};

const keyChart = (result: Result, { key, rows }: Ledger, index: number): Chart => {
  const bins = countBins(result);
  const entries = rows
    .map(toLedgerEntry)
    .filter(({ status }) => status > 0)
    .map((entry) => ({ ...entry, second: Math.max(0, Math.floor(entry.answered / 1000)) }));
  const parts = intoBins(entries, bins);
  const admitted = admittedInLastMinute(entries, bins);
  const limit = result.plan.limits.requestsPerMinute;
  const lines = chartLines(parts, [
    [
      'lowest remaining',
      'p50',
      (part) => lowestValue(part.flatMap(({ remainingRequests }) => remainingRequests ?? [])),
      'strong',
    ],
    ['admitted within the last minute', 'completed', (_, bin) => admitted[bin]!],
    ['limit per minute', 'p95', () => limit, 'dashed'],
  ]);
  return {
    id: `key-${index}`,
    title: `Key ${key}: admitted requests, and remaining by header`,
    unit: '',
    step: bins.step,
    drawn: 'held',
    lines: limit === null ? lines.slice(0, -1) : lines,
    marks: chartMarks(parts, [
      ['limited', 'limited', (part) => part.filter(({ status }) => status === 429).length],
    ]),
  };
};

/** The admitted requests, the reported remaining quota and the 429s of each key over time; keys without any have no chart. */
export const keyCharts = (result: Result): readonly Chart[] =>
  result.ledger
    .slice(0, maxChartedKeys)
    .map((ledger, index) => keyChart(result, ledger, index))
    .filter(({ lines, marks }) => marks.length > 0 || hasValues(lines[0]!));

import type { TimelineSecond } from '../../../model/measures/counts.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import type { Histogram } from '../../../model/measures/histogram.ts';
import { measures } from '../../../model/measures/measures.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import type { Result } from '../../../model/result/result.ts';
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
} from './bins.ts';
import type { Chart, ChartLine, ChartMarks } from './chart.ts';

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
export const failureMarks = (result: Result, bins: Bins): readonly ChartMarks[] =>
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

export const lagCharts = (result: Result): readonly Chart[] =>
  percentileCharts(result, 'lag', lagSubject, lagOver).map((chart) => ({ ...chart, marks: [] }));

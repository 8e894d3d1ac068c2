import type { TimelineSecond, TimelineMeasure } from '../../../model/measures/counts.ts';
import { outcomeKinds } from '../../../model/observation/outcome.ts';
import type { Histogram } from '../../../model/measures/histogram.ts';
import { measures } from '../../../model/measures/measures.ts';
import { quantile } from '../../../model/measures/quantile.ts';
import type { Result } from '../../../model/result/result.ts';
import { lagOver, latencyOver } from '../../../model/result/summary.ts';
import type { TrafficKind } from '../../../model/workload/traffic.ts';
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

/** The subject of a chart of percentiles. */
interface ChartSource {
  readonly id: string;
  readonly subject: FiguresSubject;
  readonly of: (seconds: readonly TimelineSecond[]) => Histogram;
  readonly marks: (bins: Bins) => readonly ChartMarks[];
}

const percentileChart = (result: Result, { id, subject, of, marks }: ChartSource): Chart | null => {
  const samples = of(result.timeline).count;
  if (samples === 0) return null;
  const bins = percentileBins(result, samples);
  return {
    id,
    title: subject.label,
    unit: subject.unit,
    step: bins.step,
    drawn: 'joined',
    lines: percentileLines(intoBins(result.timeline, bins).map(of)),
    marks: marks(bins),
  };
};

/** One kind's latency; the title names the kind if other kinds have the measure too. */
const latencyChart = (
  result: Result,
  kind: TrafficKind,
  name: Exclude<TimelineMeasure, 'lag'>,
): Chart | null => {
  const shared = measures[name].traffic.length > 1;
  const { label } = measures[name];
  return percentileChart(result, {
    id: shared ? `${name}-${kind}` : name,
    subject: { ...measures[name], label: shared ? `${label}, ${kind}` : label },
    of: (seconds) => latencyOver(seconds, kind, name),
    marks: (bins) => failureMarks(result, bins),
  });
};

/** Time to first token, time to first audio, chunk gap, then end to end for each kind of traffic. Completed requests only; failures are marked. */
export const latencyCharts = (result: Result, trust: Trust): readonly Chart[] =>
  (['ttft', 'firstAudio', 'gap', 'endToEnd'] as const)
    .filter((name) => !isWithheld(name, trust))
    .flatMap((name) =>
      kindsPresent(result).flatMap((kind) => latencyChart(result, kind, name) ?? []),
    );

export const lagChart = (result: Result): Chart | null =>
  percentileChart(result, { id: 'lag', subject: lagSubject, of: lagOver, marks: () => [] });

import type { StoredRun } from '../../../model/series/history.ts';
import type { LevelChange, TrendFigure, Trend } from '../model/trend.ts';
import { changeText, sideValueText } from '../../../report/summary/metric-text.ts';
import { axisBetween, plotFigure, axisTo } from '../../../report/document/plot.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';
import { figureText, listed, plural } from '../../../report/text/number-text.ts';

/**
 * This file plots a figure over all runs of a plan, with the changes of its level. The plot needs no script, so it can
 * be printed.
 */

/** Formats a time as `2026-07-01 10:20`, UTC. */
export const dateTimeText = (startedAt: string): string => startedAt.slice(0, 16).replace('T', ' ');

export const valueText = (figure: TrendFigure, value: number): string =>
  `${sideValueText(figure, value)} ${figure.unit}`;

/** Formats the size of a change: `+24.7 %` for a latency, `+1.2 pt` for a share. */
export const changeSizeText = ({ scale }: TrendFigure, { before, after }: LevelChange): string =>
  changeText({ scale }, scale === 'ratio' ? after / before : after - before);

/**
 * Returns the range of values that the plot shows. The range is wide enough that small changes do not fill the whole
 * plot.
 */
const rangeOf = ({ points }: TrendFigure): readonly [number, number] => {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const margin = Math.max((most - least) * 0.12, most * 0.05, 1e-4);
  return [Math.max(0, least - margin), most + margin];
};

const pointText = (figure: TrendFigure, value: number, run: StoredRun): string => {
  const { id, startedAt, weir, trust, baselines } = run;
  const named = baselines.length > 0 ? `, baseline ${baselines.join(', ')}` : '';
  return `run ${id}, ${dateTimeText(startedAt)}: ${valueText(figure, value)}; Weir ${weir}, generator ${trust}${named}`;
};

/**
 * Returns the ticks of the axis of runs. Ticks at multiples of ten come first, then ticks at multiples of five, then
 * all other ticks.
 */
const runTicks = (runs: readonly StoredRun[]) =>
  [10, 5, 1].flatMap((step) =>
    runs.flatMap(({ id }, i) => (id % step === 0 ? [[i, String(id)] as const] : [])),
  );

export const trendChart = (figure: TrendFigure, runs: readonly StoredRun[]): Markup => {
  const { points, changes, label, unit } = figure;
  const indexes = new Map(runs.map(({ id }, i) => [id, i]));
  const indexOf = (run: number): number => indexes.get(run) ?? 0;
  const changesText = changes
    .map((change) => `${changeSizeText(figure, change)} at run ${change.run}`)
    .join(', ');
  const starts = [0, ...changes.map(({ run }) => indexOf(run)), runs.length];
  const levels = changes.slice(0, 1).map(({ before }) => before);
  levels.push(...changes.map(({ after }) => after));
  return plotFigure(
    {
      title: label,
      unit,
      label: `${label} over ${points.length} runs, last ${valueText(figure, points.at(-1)!.value)}; ${changesText || 'no change of level'}`,
      size: [520, 170],
      x: { ends: [-0.5, runs.length - 0.5], ticks: runTicks(runs) },
      y: axisBetween(...rangeOf(figure), (value) => sideValueText(figure, value)),
    },
    ({ x, y, upright, dot }) => [
      ...levels.map(
        (level, i) =>
          markup`<path class="firm" d="M${x(starts[i]! - 0.5)} ${y(level)}H${x(starts[i + 1]! - 0.5)}" />`,
      ),
      ...changes.map((change) => {
        const { run, direction } = change;
        return upright(`change ${direction}`, indexOf(run) - 0.5, changeSizeText(figure, change));
      }),
      ...points.map(({ run, value }) => {
        const stored = runs[indexOf(run)]!;
        const place = [indexOf(run), value] as const;
        const ring = stored.baselines.length === 0 ? null : dot('baseline', place, '', 7);
        return markup`${ring}${dot(stored.trust, place, pointText(figure, value, stored))}`;
      }),
    ],
  );
};

/**
 * This file plots throughput against latency over the stored runs of all plans. The plot shows which runs another run
 * beats.
 */

interface PlottedRun {
  readonly run: StoredRun;
  readonly throughput: number;
  readonly latency: number;
}

/**
 * Returns the runs that no other run beats. A run beats another run if it has more throughput and no more latency, or
 * less latency and no less throughput. The result is sorted by throughput.
 */
export const paretoFront = <Run extends Pick<PlottedRun, 'throughput' | 'latency'>>(
  runs: readonly Run[],
): readonly Run[] => {
  const ordered = runs.toSorted((a, b) => b.throughput - a.throughput || a.latency - b.latency);
  let best = Number.POSITIVE_INFINITY;
  const front = ordered.filter(({ latency }) => {
    const isBetter = latency < best;
    best = Math.min(best, latency);
    return isBetter;
  });
  return front.toReversed();
};

/**
 * The throughputs of all traffic together. A latency is plotted against the first of these throughputs that varies and
 * that at least two runs have.
 */
const throughputs = [
  { id: 'outputTokens', name: 'output tokens per second' },
  { id: 'completed', name: 'completed requests per second' },
] as const;
const latencies = [
  { id: 'chat-stream ttft.p95', name: 'chat-stream TTFT p95' },
  { id: 'chat-stream endToEnd.p95', name: 'chat-stream End to end p95' },
  { id: 'chat endToEnd.p95', name: 'chat End to end p95' },
] as const;

const maxPlots = 2;
/**
 * The least relative difference between throughputs for a plot. With a smaller difference, a plot would show nothing.
 */
const minVariation = 0.05;

const figureOf = ({ figures }: StoredRun, id: string): number | undefined =>
  figures.find((figure) => figure.id === id)?.value;

const plottedRuns = (
  runs: readonly StoredRun[],
  throughput: string,
  latency: string,
): readonly PlottedRun[] =>
  runs.flatMap((run) => {
    const [x, y] = [figureOf(run, throughput), figureOf(run, latency)];
    return x === undefined || y === undefined || x === 0
      ? []
      : [{ run, throughput: x, latency: y }];
  });

const varies = (plotted: readonly PlottedRun[]): boolean => {
  const values = plotted.map(({ throughput }) => throughput);
  return Math.max(...values) - Math.min(...values) > minVariation * Math.max(...values);
};

const runText = ({ run, throughput, latency }: PlottedRun): string =>
  `run ${run.id}, ${run.plan}, ${dateTimeText(run.startedAt)}: ${figureText(throughput)}/s at ${figureText(latency)} ms; generator ${run.trust}`;

/**
 * Draws the Pareto front as a staircase. Each point above and to the left of the staircase is worse than a run on the
 * front.
 */
const stairs = (front: readonly PlottedRun[]): readonly (readonly [number, number])[] =>
  front.flatMap(({ throughput, latency }, i) => {
    const before = front[i - 1];
    const corner = [throughput, latency] as const;
    return before === undefined ? [corner] : [[before.throughput, latency] as const, corner];
  });

const plotOf = (
  plotted: readonly PlottedRun[],
  throughput: (typeof throughputs)[number],
  latency: (typeof latencies)[number],
): Markup => {
  const front = paretoFront(plotted);
  const names = listed(front.map(({ run }) => String(run.id)));
  return plotFigure(
    {
      title: `${latency.name} against throughput`,
      unit: 'ms',
      aside: `${plural(plotted.length, 'run')} of all plans; no run beats ${front.length === 1 ? 'run' : 'runs'} ${names} at both. Lower and further right is better.`,
      size: [520, 300],
      x: {
        ...axisTo(Math.max(...plotted.map((each) => each.throughput))),
        label: throughput.name,
      },
      y: axisTo(Math.max(...plotted.map((each) => each.latency))),
    },
    ({ path, dot, x, y }) => [
      path('thin', stairs(front)),
      ...plotted.map((each) => dot(each.run.trust, [each.throughput, each.latency], runText(each))),
      ...front.map(
        (each) =>
          markup`<text x="${x(each.throughput)}" y="${y(each.latency)}" dx="-7" dy="-6" text-anchor="end">${String(each.run.id)}</text>`,
      ),
    ],
  );
};

/**
 * Returns plots of the figures that the stored runs have in common. Runs whose throughputs hardly differ give no plot.
 */
export const paretoPlots = (trends: readonly Trend[]): readonly Markup[] => {
  const runs = trends.flatMap((trend) => trend.runs);
  return latencies
    .flatMap((latency) => {
      for (const throughput of throughputs) {
        const plotted = plottedRuns(runs, throughput.id, latency.id);
        if (plotted.length >= 2 && varies(plotted)) return [plotOf(plotted, throughput, latency)];
      }
      return [];
    })
    .slice(0, maxPlots);
};

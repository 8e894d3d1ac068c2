import type { StoredRun } from '../../../model/series/history.ts';
import type { LevelChange, TrendFigure } from '../model/trend.ts';
import { changeText, sideValueText } from '../../../report/summary/metric-text.ts';
import { axisBetween, plotFigure } from '../../../report/document/plot.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';

/** A figure over all runs of a plan, with its changes of level. Drawn without a script, so it prints. */

/** `2026-07-01 10:20`, UTC. */
export const dateTimeText = (startedAt: string): string => startedAt.slice(0, 16).replace('T', ' ');

/** A value with its unit, in the notation of comparisons. */
export const valueText = (figure: TrendFigure, value: number): string =>
  `${sideValueText(figure, value)} ${figure.unit}`;

/** The size of a change: `+24.7 %` of a latency, `+1.2 pt` of a share. */
export const changeSizeText = ({ scale }: TrendFigure, { before, after }: LevelChange): string =>
  changeText({ scale }, scale === 'ratio' ? after / before : after - before);

/** The range of values; small changes are not magnified to fill the frame. */
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

/** The numbers of runs: first those that are multiples of ten, then of five. */
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

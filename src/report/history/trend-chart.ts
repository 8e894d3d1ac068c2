import type { LevelChange, StoredRun, TrendFigure } from '../../model/series/history.ts';
import { sideValueText } from '../compare/comparison-text.ts';
import { markup, type Markup } from '../text/markup.ts';
import { roundStep } from '../html/charts/axis-ticks.ts';
import { dateTimeText, changeSizeText, valueText } from './history-text.ts';

/** A figure over all runs of a plan, with its changes of level. Drawn without a script, so it prints. */

const frame = { width: 1040, height: 190, left: 70, right: 16, top: 24, bottom: 30 } as const;

interface Scale {
  readonly x: (runIndex: number) => number;
  readonly y: (value: number) => number;
  readonly ticks: readonly number[];
}

/** At most five round numbers. */
const ticksBetween = (low: number, high: number): readonly number[] => {
  const step = roundStep((high - low) / 4);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => (first + i) * step);
};

const scaleOf = ({ points }: TrendFigure, runs: number): Scale => {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Small changes are not magnified to fill the frame.
  const margin = Math.max((most - least) * 0.12, most * 0.05, 1e-4);
  const [low, high] = [Math.max(0, least - margin), most + margin];
  const { width, height, left, right, top, bottom } = frame;
  return {
    x: (runIndex) => left + ((runIndex + 0.5) / runs) * (width - left - right),
    y: (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom),
    ticks: ticksBetween(low, high),
  };
};

const coordinateText = (value: number): string => value.toFixed(1);

/** The labels of the ticks, with more digits if they would look alike. */
const tickTexts = (figure: TrendFigure, ticks: readonly number[]): readonly string[] => {
  const texts = ticks.map((value) => sideValueText(figure, value));
  return new Set(texts).size === texts.length
    ? texts
    : ticks.map((value) => String(Number(value.toPrecision(3))));
};

const axes = (figure: TrendFigure, runs: readonly StoredRun[], { x, y, ticks }: Scale): Markup => {
  const every = Math.ceil(runs.length / 12);
  const texts = tickTexts(figure, ticks);
  return markup`<g class="axes">${ticks.map(
    (
      value,
      i,
    ) => markup`<path class="grid" d="M${frame.left} ${coordinateText(y(value))}H${frame.width - frame.right}" />
      <text x="${frame.left - 10}" y="${coordinateText(y(value))}" dy="0.32em" text-anchor="end">${texts[i] ?? null}</text>`,
  )}${runs.map((run, i) =>
    i % every === 0
      ? markup`<text x="${coordinateText(x(i))}" y="${frame.height - 10}" text-anchor="middle">${run.id}</text>`
      : null,
  )}</g>`;
};

type RunIndexOf = (run: number) => number;

/** The line of a level, from its first run to its last. */
const levels = (
  { changes }: TrendFigure,
  runs: number,
  scale: Scale,
  runIndexOf: RunIndexOf,
): Markup => {
  const { x, y } = scale;
  const line = (from: number, to: number, value: number): Markup =>
    markup`<path class="level-line" d="M${coordinateText(x(from - 0.5))} ${coordinateText(y(value))}H${coordinateText(x(to - 0.5))}" />`;
  return markup`${changes.map(({ run, before, after }, i) => {
    const begins = runIndexOf(run);
    const next = changes[i + 1];
    const previous = changes[i - 1];
    return [
      previous === undefined ? line(0, begins, before) : null,
      line(begins, next === undefined ? runs : runIndexOf(next.run), after),
    ];
  })}`;
};

const mark = (
  figure: TrendFigure,
  change: LevelChange,
  { x }: Scale,
  runIndexOf: RunIndexOf,
): Markup => {
  const runIndex = x(runIndexOf(change.run) - 0.5);
  const isRight = runIndex > frame.width - 130;
  return markup`<g class="${change.direction}">
    <path class="change" d="M${coordinateText(runIndex)} ${frame.top - 6}V${frame.height - frame.bottom}" />
    <text x="${coordinateText(runIndex + (isRight ? -6 : 6))}" y="${frame.top - 8}" text-anchor="${isRight ? 'end' : 'start'}">${changeSizeText(figure, change)}</text>
  </g>`;
};

const dot = (
  figure: TrendFigure,
  { run, value }: TrendFigure['points'][number],
  stored: StoredRun | undefined,
  centre: { readonly x: number; readonly y: number },
): Markup => {
  const { startedAt = '', weir = '', trust = 'valid', baselines = [] } = stored ?? {};
  const named = baselines.length === 0 ? '' : `, baseline ${baselines.join(', ')}`;
  const ring =
    baselines.length === 0
      ? null
      : markup`<circle class="baseline" cx="${coordinateText(centre.x)}" cy="${coordinateText(centre.y)}" r="7" />`;
  return markup`<g>${ring}<circle class="${trust}" cx="${coordinateText(centre.x)}" cy="${coordinateText(centre.y)}" r="3.4" /><title>run ${run}, ${dateTimeText(startedAt)}: ${valueText(figure, value)}; Weir ${weir}, generator ${trust}${named}</title></g>`;
};

/** The chart of a figure that at least one run has. */
export const trendChart = (figure: TrendFigure, runs: readonly StoredRun[]): Markup => {
  const scale = scaleOf(figure, runs.length);
  const places = new Map(runs.map(({ id }, i) => [id, i]));
  const runIndexOf: RunIndexOf = (run) => places.get(run) ?? 0;
  const { points, changes, label, unit } = figure;
  const changesText = changes
    .map((change) => `${changeSizeText(figure, change)} at run ${change.run}`)
    .join(', ');
  const text = `${label} over ${points.length} runs, last ${valueText(figure, points.at(-1)!.value)}; ${changesText || 'no change of level'}`;
  return markup`<figure>
    <figcaption><b>${label}</b> <span class="unit">${unit}</span></figcaption>
    <div class="scroll" role="group" aria-label="Trend of ${label}" tabindex="0"><svg class="trend" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${text}">
      ${axes(figure, runs, scale)}${levels(figure, runs.length, scale, runIndexOf)}${changes.map((change) => mark(figure, change, scale, runIndexOf))}
      ${points.map((point) => {
        const runIndex = runIndexOf(point.run);
        return dot(figure, point, runs[runIndex], {
          x: scale.x(runIndex),
          y: scale.y(point.value),
        });
      })}
    </svg></div>
  </figure>`;
};

import type { LevelChange, StoredRun, TrendFigure } from '../../model/series/history.ts';
import { changeText, sideValueText } from '../compare/comparison-text.ts';
import { coordinate, linearScale } from '../document/plot-figure.ts';
import { roundStep } from '../html/charts/axis-ticks.ts';
import { markup, type Markup } from '../text/markup.ts';

/** A figure over all runs of a plan, with its changes of level. Drawn without a script, so it prints. */

/** `2026-07-01 10:20`, UTC. */
export const dateTimeText = (startedAt: string): string => startedAt.slice(0, 16).replace('T', ' ');

/** A value with its unit, in the notation of comparisons. */
export const valueText = (figure: TrendFigure, value: number): string =>
  `${sideValueText(figure, value)} ${figure.unit}`;

/** The size of a change: `+24.7 %` of a latency, `+1.2 pt` of a share. */
export const changeSizeText = ({ scale }: TrendFigure, { before, after }: LevelChange): string =>
  changeText({ scale }, scale === 'ratio' ? after / before : after - before);

const frame = { width: 1040, height: 190, left: 70, right: 16, top: 24, bottom: 30 } as const;

/** At most five round numbers. */
const ticksBetween = (low: number, high: number): readonly number[] => {
  const step = roundStep((high - low) / 4);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => (first + i) * step);
};

/** The places of runs (the first is 0) and values. */
const scaleOf = ({ points }: TrendFigure, runs: readonly StoredRun[]) => {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Small changes are not magnified to fill the frame.
  const margin = Math.max((most - least) * 0.12, most * 0.05, 1e-4);
  const [low, high] = [Math.max(0, least - margin), most + margin];
  const { width, height, left, right, top, bottom } = frame;
  const indexes = new Map(runs.map(({ id }, i) => [id, i]));
  const toPixels = linearScale([-0.5, runs.length - 0.5], [left, width - right]);
  const y = linearScale([low, high], [height - bottom, top]);
  return {
    indexOf: (run: number): number => indexes.get(run) ?? 0,
    toPixels,
    x: (index: number): string => coordinate(toPixels(index)),
    y: (value: number): string => coordinate(y(value)),
    ticks: ticksBetween(low, high),
  };
};
type Scale = ReturnType<typeof scaleOf>;

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
    ) => markup`<path class="grid" d="M${frame.left} ${y(value)}H${frame.width - frame.right}" />
      <text x="${frame.left - 10}" y="${y(value)}" dy="0.32em" text-anchor="end">${texts[i] ?? null}</text>`,
  )}${runs.map((run, i) =>
    i % every === 0
      ? markup`<text x="${x(i)}" y="${frame.height - 10}" text-anchor="middle">${run.id}</text>`
      : null,
  )}</g>`;
};

/** The line of each level, from its first run to its last. */
const levels = ({ changes }: TrendFigure, runs: number, { x, y, indexOf }: Scale): Markup => {
  const [first] = changes;
  if (first === undefined) return markup``;
  const starts = [0, ...changes.map(({ run }) => indexOf(run)), runs];
  const values = [first.before, ...changes.map(({ after }) => after)];
  return markup`${values.map(
    (value, i) =>
      markup`<path class="level-line" d="M${x(starts[i]! - 0.5)} ${y(value)}H${x(starts[i + 1]! - 0.5)}" />`,
  )}`;
};

const mark = (figure: TrendFigure, change: LevelChange, { toPixels, indexOf }: Scale): Markup => {
  const place = toPixels(indexOf(change.run) - 0.5);
  const [anchor, distance] = place > frame.width - 130 ? (['end', -6] as const) : ['start', 6];
  return markup`<g class="${change.direction}">
    <path class="change" d="M${coordinate(place)} ${frame.top - 6}V${frame.height - frame.bottom}" />
    <text x="${coordinate(place + distance)}" y="${frame.top - 8}" text-anchor="${anchor}">${changeSizeText(figure, change)}</text>
  </g>`;
};

const dot = (
  figure: TrendFigure,
  { run, value }: TrendFigure['points'][number],
  stored: StoredRun | undefined,
  scale: Scale,
): Markup => {
  const { startedAt = '', weir = '', trust = 'valid', baselines = [] } = stored ?? {};
  const [x, y] = [scale.x(scale.indexOf(run)), scale.y(value)];
  const isBaseline = baselines.length > 0;
  const named = isBaseline ? `, baseline ${baselines.join(', ')}` : '';
  const ring = isBaseline ? markup`<circle class="baseline" cx="${x}" cy="${y}" r="7" />` : null;
  return markup`<g>${ring}<circle class="${trust}" cx="${x}" cy="${y}" r="3.4" /><title>run ${run}, ${dateTimeText(startedAt)}: ${valueText(figure, value)}; Weir ${weir}, generator ${trust}${named}</title></g>`;
};

export const trendChart = (figure: TrendFigure, runs: readonly StoredRun[]): Markup => {
  const scale = scaleOf(figure, runs);
  const { points, changes, label, unit } = figure;
  const changesText = changes
    .map((change) => `${changeSizeText(figure, change)} at run ${change.run}`)
    .join(', ');
  const text = `${label} over ${points.length} runs, last ${valueText(figure, points.at(-1)!.value)}; ${changesText || 'no change of level'}`;
  return markup`<figure>
    <figcaption><b>${label}</b> <span class="unit">${unit}</span></figcaption>
    <div class="scroll" role="group" aria-label="Trend of ${label}" tabindex="0"><svg class="trend" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${text}">
      ${axes(figure, runs, scale)}${levels(figure, runs.length, scale)}${changes.map((change) => mark(figure, change, scale))}
      ${points.map((point) => dot(figure, point, runs[scale.indexOf(point.run)], scale))}
    </svg></div>
  </figure>`;
};

import type { LevelChange, StoredRun, TrendFigure } from '../../model/history.ts';
import { sideText } from '../compare/comparison-words.ts';
import { markup, type Markup } from '../html/markup.ts';
import { roundStep } from '../html/round-step.ts';
import { dayText, sizeText, valueText } from './history-words.ts';

/** One figure over all runs of a plan, with its changes of level. Drawn without a script, so it prints. */

const frame = { width: 1040, height: 190, left: 70, right: 16, top: 24, bottom: 30 } as const;

interface Scale {
  readonly x: (place: number) => number;
  readonly y: (value: number) => number;
  readonly ticks: readonly number[];
}

/** Round numbers, at most five of them. */
const ticksBetween = (low: number, high: number): readonly number[] => {
  const step = roundStep((high - low) / 4);
  const first = Math.ceil(low / step);
  const count = Math.floor(high / step) - first + 1;
  return Array.from({ length: count }, (_, i) => (first + i) * step);
};

const scaleOf = ({ points }: TrendFigure, runs: number): Scale => {
  const values = points.map(({ value }) => value);
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // What hardly moves is not blown up to fill the frame.
  const room = Math.max((most - least) * 0.12, most * 0.05, 1e-4);
  const [low, high] = [Math.max(0, least - room), most + room];
  const { width, height, left, right, top, bottom } = frame;
  return {
    x: (place) => left + ((place + 0.5) / runs) * (width - left - right),
    y: (value) => height - bottom - ((value - low) / (high - low)) * (height - top - bottom),
    ticks: ticksBetween(low, high),
  };
};

const at = (value: number): string => value.toFixed(1);

/** What stands at the ticks: as figures are shown elsewhere, with more digits where they would look alike. */
const tickTexts = (figure: TrendFigure, ticks: readonly number[]): readonly string[] => {
  const texts = ticks.map((value) => sideText(figure, value));
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
    ) => markup`<path class="grid" d="M${frame.left} ${at(y(value))}H${frame.width - frame.right}" />
      <text x="${frame.left - 10}" y="${at(y(value))}" dy="0.32em" text-anchor="end">${texts[i] ?? null}</text>`,
  )}${runs.map((run, i) =>
    i % every === 0
      ? markup`<text x="${at(x(i))}" y="${frame.height - 10}" text-anchor="middle">${run.id}</text>`
      : null,
  )}</g>`;
};

type PlaceOf = (run: number) => number;

/** A level's line, from the run where it begins to that before the next. */
const levels = ({ changes }: TrendFigure, runs: number, scale: Scale, placeOf: PlaceOf): Markup => {
  const { x, y } = scale;
  const line = (from: number, to: number, value: number): Markup =>
    markup`<path class="level-line" d="M${at(x(from - 0.5))} ${at(y(value))}H${at(x(to - 0.5))}" />`;
  return markup`${changes.map(({ run, before, after }, i) => {
    const begins = placeOf(run);
    const next = changes[i + 1];
    const previous = changes[i - 1];
    return [
      previous === undefined ? line(0, begins, before) : null,
      line(begins, next === undefined ? runs : placeOf(next.run), after),
    ];
  })}`;
};

const mark = (figure: TrendFigure, change: LevelChange, { x }: Scale, placeOf: PlaceOf): Markup => {
  const place = x(placeOf(change.run) - 0.5);
  const isRight = place > frame.width - 130;
  return markup`<g class="${change.direction}">
    <path class="change" d="M${at(place)} ${frame.top - 6}V${frame.height - frame.bottom}" />
    <text x="${at(place + (isRight ? -6 : 6))}" y="${frame.top - 8}" text-anchor="${isRight ? 'end' : 'start'}">${sizeText(figure, change)}</text>
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
      : markup`<circle class="baseline" cx="${at(centre.x)}" cy="${at(centre.y)}" r="7" />`;
  return markup`<g>${ring}<circle class="${trust}" cx="${at(centre.x)}" cy="${at(centre.y)}" r="3.4" /><title>run ${run}, ${dayText(startedAt)}: ${valueText(figure, value)}; Weir ${weir}, generator ${trust}${named}</title></g>`;
};

/** The chart of a figure that at least one run has. */
export const trendChart = (figure: TrendFigure, runs: readonly StoredRun[]): Markup => {
  const scale = scaleOf(figure, runs.length);
  const places = new Map(runs.map(({ id }, i) => [id, i]));
  const placeOf: PlaceOf = (run) => places.get(run) ?? 0;
  const { points, changes, label, unit } = figure;
  const said = changes
    .map((change) => `${sizeText(figure, change)} at run ${change.run}`)
    .join(', ');
  const text = `${label} over ${points.length} runs, last ${valueText(figure, points.at(-1)!.value)}; ${said || 'no change of level'}`;
  return markup`<figure>
    <figcaption><b>${label}</b> <span class="unit">${unit}</span></figcaption>
    <div class="scroll" role="group" aria-label="Trend of ${label}" tabindex="0"><svg class="trend" viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${text}">
      ${axes(figure, runs, scale)}${levels(figure, runs.length, scale, placeOf)}${changes.map((change) => mark(figure, change, scale, placeOf))}
      ${points.map((point) => {
        const place = placeOf(point.run);
        return dot(figure, point, runs[place], { x: scale.x(place), y: scale.y(point.value) });
      })}
    </svg></div>
  </figure>`;
};

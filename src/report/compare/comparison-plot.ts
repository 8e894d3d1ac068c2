import type { ComparedMetric, Comparison } from '../../model/series/comparison.ts';
import { markup, type Markup } from '../text/markup.ts';
import { changeIntervalText, changeText, gatedMetrics, metricName } from './comparison-text.ts';

const frame = { width: 1040, left: 270, right: 24, top: 30, row: 36 } as const;

/** Ratios that the axis may name. */
const ticks = [0.25, 0.33, 0.5, 0.67, 0.8, 0.9, 0.95, 1, 1.05, 1.1, 1.25, 1.5, 2, 3, 4] as const;
const minTickDistance = 46;
const [narrowest, widest] = [Math.log(1.15), Math.log(4.2)];

type ScaleX = (ratio: number) => number;

/** All ratios to the base's mean on a metric's line. */
const ratiosOf = ({ base, next, effect }: ComparedMetric): readonly number[] => [
  ...[...base.values, ...next.values].map((value) => value / (base.typical ?? value)),
  ...[effect?.low, effect?.high, effect?.change].flatMap((value) => value ?? []),
];

const scaleOf = (metrics: readonly ComparedMetric[]): ScaleX => {
  const reach = metrics
    .flatMap(ratiosOf)
    .reduce((most, ratio) => Math.max(most, Math.abs(Math.log(ratio))), narrowest);
  const span = Math.min(widest, reach * 1.08);
  const { width, left, right } = frame;
  const middle = (left + width - right) / 2;
  return (ratio) =>
    middle +
    (Math.max(-span, Math.min(span, Math.log(ratio))) / span) * ((width - left - right) / 2);
};

const coordinateText = (value: number): string => value.toFixed(1);

const axis = (x: ScaleX, height: number): Markup => {
  const inside = ticks.filter((ratio) => {
    const place = x(ratio);
    return place > frame.left && place < frame.width - frame.right;
  });
  // As many labels as fit, from the middle outwards.
  const shown = inside
    .toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))
    .reduce<readonly number[]>(
      (kept, ratio) =>
        kept.some((other) => Math.abs(x(other) - x(ratio)) < minTickDistance)
          ? kept
          : [...kept, ratio],
      [],
    );
  return markup`<g class="axes">${shown.map(
    (
      ratio,
    ) => markup`<path class="grid" d="M${coordinateText(x(ratio))} ${frame.top - 6}V${height}" />
      <text x="${coordinateText(x(ratio))}" y="${frame.top - 14}" text-anchor="middle">${ratio === 1 ? 'base' : changeText({ scale: 'ratio' }, ratio).replace('.0 %', ' %')}</text>`,
  )}</g>`;
};

const dots = (metric: ComparedMetric, side: 'base' | 'next', x: ScaleX, y: number): Markup => {
  const { base } = metric;
  return markup`${metric[side].values.map(
    (value) =>
      markup`<circle class="${side}" cx="${coordinateText(x(value / (base.typical ?? value)))}" cy="${coordinateText(y + (side === 'base' ? -8 : 8))}" r="2.6" />`,
  )}`;
};

const line = (metric: ComparedMetric, x: ScaleX, i: number): Markup | null => {
  const { effect, verdict } = metric;
  if (effect === null) return null;
  const { low, high, change, least } = effect;
  const y = frame.top + i * frame.row + frame.row / 2;
  const [from, to] = [x(1 / least), x(least)];
  return markup`<g class="${verdict}">
    <title>${metricName(metric)}: ${changeText(metric, change)} ${changeIntervalText(metric)}, ${verdict}</title>
    <rect class="least" x="${coordinateText(from)}" y="${coordinateText(y - 14)}" width="${coordinateText(to - from)}" height="28" />
    <text x="${frame.left - 14}" y="${coordinateText(y)}" dy="0.32em" text-anchor="end">${metricName(metric)}</text>
    ${dots(metric, 'base', x, y)}${dots(metric, 'next', x, y)}
    ${low === null || high === null ? null : markup`<path class="interval" d="M${coordinateText(x(low))} ${coordinateText(y)}H${coordinateText(x(high))}M${coordinateText(x(low))} ${coordinateText(y - 4)}v8M${coordinateText(x(high))} ${coordinateText(y - 4)}v8" />`}
    <path class="change" d="M${coordinateText(x(change))} ${coordinateText(y - 6)}l6 6l-6 6l-6 -6z" />
  </g>`;
};

/** A forest plot: the runs of each gated metric, its change with the interval, and the band of changes that do not count. `null` if no gated metric is a ratio. */
export const comparisonPlot = (comparison: Comparison): Markup | null => {
  const plotted = gatedMetrics(comparison).filter(
    ({ scale, effect }) => scale === 'ratio' && effect !== null,
  );
  if (plotted.length === 0) return null;
  const x = scaleOf(plotted);
  const height = frame.top + plotted.length * frame.row;
  const text = plotted
    .map(
      (metric) =>
        `${metricName(metric)} ${changeText(metric, metric.effect?.change ?? 1)}, ${metric.verdict}`,
    )
    .join('; ');
  return markup`<figure class="plot">
    <figcaption>
      <b>Change of each gated metric</b> <span class="unit">new over base</span>
      <p class="aside">Diamonds are changes, lines their 95 % confidence intervals. Inside the shaded band a change is below the minimum effect. Hollow dots are base runs, filled dots new runs.</p>
    </figcaption>
    <div class="scroll" role="group" aria-label="Plot of changes" tabindex="0"><svg class="forest" viewBox="0 0 ${frame.width} ${height + 8}" role="img" aria-label="Change of each gated metric: ${text}">
      ${axis(x, height)}${plotted.map((metric, i) => line(metric, x, i))}
    </svg></div>
  </figure>`;
};

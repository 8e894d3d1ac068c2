import type { ComparedMetric, Comparison } from '../../model/series/comparison.ts';
import { coordinate } from '../document/plot-figure.ts';
import { markup, type Markup } from '../text/markup.ts';
import { changeIntervalText, changeText, gatedMetrics, metricName } from './comparison-text.ts';

const frame = { width: 1040, left: 270, right: 24, top: 30, row: 36 } as const;

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

const axis = (x: ScaleX, height: number): Markup => {
  // As many labels as fit, from the middle outwards.
  const shown: number[] = [];
  for (const ratio of ticks.toSorted((a, b) => Math.abs(Math.log(a)) - Math.abs(Math.log(b)))) {
    const isInside = x(ratio) > frame.left && x(ratio) < frame.width - frame.right;
    const isFree = shown.every((other) => Math.abs(x(other) - x(ratio)) >= minTickDistance);
    if (isInside && isFree) shown.push(ratio);
  }
  const labelOf = (ratio: number): string =>
    ratio === 1 ? 'base' : changeText({ scale: 'ratio' }, ratio).replace('.0 %', ' %');
  return markup`<g class="axes">${shown.map(
    (ratio) => markup`<path class="grid" d="M${coordinate(x(ratio))} ${frame.top - 6}V${height}" />
      <text x="${coordinate(x(ratio))}" y="${frame.top - 14}" text-anchor="middle">${labelOf(ratio)}</text>`,
  )}</g>`;
};

const line = (metric: ComparedMetric, x: ScaleX, i: number): Markup | null => {
  const { base, next, effect, verdict } = metric;
  if (effect === null) return null;
  const { low, high, change, least } = effect;
  const y = frame.top + i * frame.row + frame.row / 2;
  const place = (ratio: number): string => coordinate(x(ratio));
  const dots = (side: 'base' | 'next', values: readonly number[], height: string) =>
    values.map((value) => {
      const ratio = value / (base.typical ?? value);
      return markup`<circle class="${side}" cx="${place(ratio)}" cy="${height}" r="2.6" />`;
    });
  return markup`<g class="${verdict}">
    <title>${metricName(metric)}: ${changeText(metric, change)} ${changeIntervalText(metric)}, ${verdict}</title>
    <rect class="least" x="${place(1 / least)}" y="${coordinate(y - 14)}" width="${coordinate(x(least) - x(1 / least))}" height="28" />
    <text x="${frame.left - 14}" y="${coordinate(y)}" dy="0.32em" text-anchor="end">${metricName(metric)}</text>
    ${dots('base', base.values, coordinate(y - 8))}${dots('next', next.values, coordinate(y + 8))}
    ${low === null || high === null ? null : markup`<path class="interval" d="M${place(low)} ${coordinate(y)}H${place(high)}M${place(low)} ${coordinate(y - 4)}v8M${place(high)} ${coordinate(y - 4)}v8" />`}
    <path class="change" d="M${place(change)} ${coordinate(y - 6)}l6 6l-6 6l-6 -6z" />
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

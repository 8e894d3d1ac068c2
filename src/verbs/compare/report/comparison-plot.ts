import type { Comparison } from '../model/comparison.ts';
import type { ComparedMetric } from '../../../model/series/compared-metric.ts';
import { type Axis, type Pen, plotFigure, rowAxis } from '../../../report/document/plot.ts';
import { markup, type Markup } from '../../../report/text/markup.ts';
import { changeIntervalText, gatedMetrics, metricName } from './comparison-text.ts';
import { changeText } from '../../../report/summary/metric-text.ts';

/** From the middle outwards. */
const ticks = [1, 0.95, 1.05, 0.9, 1.1, 0.8, 1.25, 0.67, 1.5, 0.5, 2, 0.33, 3, 0.25, 4] as const;
const [narrowest, widest] = [Math.log(1.15), Math.log(4.2)];

/** All ratios to the base's mean on a metric's line. */
const ratiosOf = ({ base, next, effect }: ComparedMetric): readonly number[] => [
  ...[...base.values, ...next.values].map((value) => value / (base.typical ?? value)),
  ...[effect?.low, effect?.high, effect?.change].flatMap((value) => value ?? []),
];

const tickText = (ratio: number): string =>
  ratio === 1 ? 'base' : changeText({ scale: 'ratio' }, ratio).replace('.0 %', ' %');

const ratioAxis = (metrics: readonly ComparedMetric[]): Axis => {
  const reach = metrics
    .flatMap(ratiosOf)
    .reduce((most, ratio) => Math.max(most, Math.abs(Math.log(ratio))), narrowest);
  const end = Math.exp(Math.min(widest, reach * 1.08));
  const labelled = ticks.map((ratio) => [ratio, tickText(ratio)] as const);
  return { ends: [1 / end, end], isLogarithmic: true, ticks: labelled };
};

/** The row between the heights `i` and `i + 1`. */
const line = (metric: ComparedMetric, i: number, { x, y, dot }: Pen): Markup | null => {
  const { base, effect, verdict } = metric;
  if (effect === null) return null;
  const { low, high, change, least } = effect;
  const [middle, above, below] = [i + 0.5, i + 0.4, i + 0.6].map(y);
  const bar = (ratio: number): string => `M${x(ratio)} ${above}V${below}`;
  const dots = (side: 'base' | 'next', height: number): readonly Markup[] =>
    metric[side].values.map((value) => dot(side, [value / (base.typical ?? value), height]));
  return markup`<g>
    <title>${metricName(metric)}: ${changeText(metric, change)} ${changeIntervalText(metric)}, ${verdict}</title>
    <path class="area" d="M${x(1 / least)} ${y(i + 0.1)}H${x(least)}V${y(i + 0.9)}H${x(1 / least)}Z" />
    ${dots('base', i + 0.28)}${dots('next', i + 0.72)}
    ${low === null || high === null ? null : markup`<path class="interval firm ${verdict}" d="M${x(low)} ${middle!}H${x(high)}${bar(low)}${bar(high)}" />`}
    <path class="change ${verdict}" d="M${x(change)} ${middle!}m0 -6l6 6l-6 6l-6 -6z" />
  </g>`;
};

/** A forest plot: the runs of each gated metric, its change with the interval, and the band of changes that do not count. `null` if no gated metric is a ratio. */
export const comparisonPlot = (comparison: Comparison): Markup | null => {
  const plotted = gatedMetrics(comparison).filter(
    ({ scale, effect }) => scale === 'ratio' && effect !== null,
  );
  if (plotted.length === 0) return null;
  const title = 'Change of each gated metric';
  const texts = plotted.map(
    (metric) =>
      `${metricName(metric)} ${changeText(metric, metric.effect?.change ?? 1)}, ${metric.verdict}`,
  );
  return plotFigure(
    {
      title,
      unit: 'new over base',
      aside:
        'Diamonds are changes, lines their 95 % confidence intervals. Inside the shaded band a change is below the minimum effect. Hollow dots are base runs, filled dots new runs.',
      label: `${title}: ${texts.join('; ')}`,
      size: [1040, 46 + plotted.length * 36],
      x: ratioAxis(plotted),
      y: rowAxis(plotted.map(metricName)),
    },
    (pen) => plotted.map((metric, i) => line(metric, i, pen)),
  );
};

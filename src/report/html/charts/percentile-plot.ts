import type { Histogram } from '../../../model/measures/histogram.ts';
import { quantile, type Quantile } from '../../../model/measures/quantile.ts';
import { figureText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { axisTo } from './axis-ticks.ts';
import { plotOf } from './plot.ts';

/** One curve of a percentile plot. */
export interface PercentileCurve {
  readonly name: string;
  readonly histogram: Histogram;
}

const plot = plotOf(440, 280, [12, 34]);
const points = 96;

/** log₁₀(1/(1−q)): 0 at the minimum, 1 at p90, 2 at p99, 3 at p99.9. */
const depth = (q: number): number => Math.log10(1 / (1 - q));
const quantileAt = (x: number): number => 1 - 10 ** -x;

const ticksX = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999] as const;
const tickName = (q: number): string => (q === 0 ? 'min' : `p${Number((q * 100).toFixed(5))}`);

/** The depth of the largest of n samples: the middle of its share. */
const deepestOf = ({ count }: Histogram): number => depth(1 - 0.5 / count);

const sampled = ({ histogram }: PercentileCurve): readonly Quantile[] =>
  Array.from({ length: points }, (_, i) => {
    const share = Math.max(i, 0.01) / (points - 1);
    return quantile(histogram, quantileAt(deepestOf(histogram) * share));
  }).flatMap((point) => point ?? []);

/** A quantile and one of its values as coordinates. */
type Place = (q: number, value: number) => string;

const lineThrough = (parts: readonly Quantile[], place: Place): string =>
  parts.length === 0 ? '' : `M${parts.map(({ q, value }) => place(q, value)).join('L')}`;

const band = (parts: readonly Quantile[], place: Place): string => {
  const bounded = parts.flatMap(({ q, low, high }) =>
    low === null || high === null ? [] : [{ q, low, high }],
  );
  if (bounded.length < 2) return '';
  const above = bounded.map(({ q, high }) => place(q, high));
  const below = bounded.toReversed().map(({ q, low }) => place(q, low));
  return `M${[...above, ...below].join('L')}Z`;
};

/** The start of the tail: with fewer than ten samples beyond, the curve is dashed. */
const curveMarkup = (curve: PercentileCurve, place: Place): Markup => {
  const all = sampled(curve);
  const firm = all.filter(({ q, n }) => n * (1 - q) >= 10);
  const thin = all.slice(Math.max(0, firm.length - 1));
  return markup`<g class="${curve.name}" stroke-width="2" stroke-linejoin="round">
    <path class="area" fill-opacity="0.15" d="${band(all, place)}" />
    <path class="firm" d="${lineThrough(firm, place)}" />
    <path class="thin" stroke-width="1.5" stroke-dasharray="3 4" d="${lineThrough(thin, place)}" />
  </g>`;
};

const axisText = (value: number): string => Number(value.toPrecision(6)).toLocaleString('en-US');

const description = (curves: readonly PercentileCurve[], unit: string): string =>
  curves
    .map(({ name, histogram }) => {
      const percentileTexts = [0.5, 0.9, 0.99].flatMap((q) => {
        const figure = quantile(histogram, q);
        return figure === null ? [] : [`p${q * 100} ${figureText(figure.value)} ${unit}`];
      });
      return `${name}: ${percentileTexts.join(', ')}, maximum ${figureText(histogram.max ?? 0)} ${unit}`;
    })
    .join('; ');

/**
 * Plots values over percentiles on a scale of log 1/(1−q), so that every further nine takes the same
 * room, with the 95 % confidence band of each curve. Drawn without a script, so it prints.
 */
export const percentilePlot = (
  title: string,
  unit: string,
  curves: readonly PercentileCurve[],
): Markup | null => {
  const drawn = curves.filter(({ histogram }) => histogram.count >= 2);
  if (drawn.length === 0) return null;
  const deepest = Math.max(1, ...drawn.map(({ histogram }) => deepestOf(histogram)));
  const highest = Math.max(...drawn.map(({ histogram }) => histogram.max ?? 0));
  const upwards = axisTo(highest || 1, axisText);
  const place: Place = (q, value) =>
    `${plot.x(depth(q) / deepest)} ${plot.y(Math.min(1, upwards.shareOf(value)))}`;
  const across = ticksX.filter((q) => depth(q) <= deepest);
  const columns = across.map((q) => `M${plot.x(depth(q) / deepest)} ${plot.y(1)}V${plot.y(0)}`);
  return plot.figure(
    {
      title,
      unit,
      keys: drawn.map(({ name }) => [name, name]),
      label: `${title} by percentile. ${description(drawn, unit)}`,
      upwards: upwards.ticks,
      across: across
        .filter((q) => q > 0 || deepest < 3.5)
        .map((q) => ({ at: depth(q) / deepest, text: tickName(q) })),
    },
    markup`<path class="grid" d="${columns.join('')}" />${drawn.map((curve) => curveMarkup(curve, place))}`,
  );
};

import type { Histogram } from '../../../model/measures/histogram.ts';
import { quantile, type Quantile } from '../../../model/measures/quantile.ts';
import { figureText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { axisTicks } from './axis-ticks.ts';

/** One curve of a percentile plot. */
export interface PercentileCurve {
  readonly name: string;
  readonly histogram: Histogram;
}

const frame = { width: 440, height: 280, left: 54, right: 14, top: 12, bottom: 34 } as const;
const points = 96;

/** log₁₀(1/(1−q)): 0 at the minimum, 1 at p90, 2 at p99, 3 at p99.9. */
const depth = (q: number): number => Math.log10(1 / (1 - q));
const quantileAt = (x: number): number => 1 - 10 ** -x;

const ticksX = [0, 0.5, 0.9, 0.99, 0.999, 0.9999, 0.99999] as const;
const tickName = (q: number): string => (q === 0 ? 'min' : `p${Number((q * 100).toFixed(5))}`);

interface Scale {
  readonly x: (depth: number) => string;
  readonly y: (value: number) => string;
  readonly deepest: number;
  readonly top: number;
}

const scaleOf = (deepest: number, top: number): Scale => {
  const { width, height, left, right, top: above, bottom } = frame;
  return {
    deepest,
    top,
    x: (value) => (left + (value / deepest) * (width - left - right)).toFixed(1),
    y: (value) => (height - bottom - (value / top) * (height - above - bottom)).toFixed(1),
  };
};

/** The depth of the largest of n samples: the middle of its share. */
const deepestOf = ({ count }: Histogram): number => depth(1 - 0.5 / count);

const sampled = ({ histogram }: PercentileCurve): readonly Quantile[] =>
  Array.from({ length: points }, (_, i) => {
    const share = Math.max(i, 0.01) / (points - 1);
    return quantile(histogram, quantileAt(deepestOf(histogram) * share));
  }).flatMap((point) => point ?? []);

const path = (parts: readonly Quantile[], { x, y }: Scale): string =>
  parts.map(({ q, value }, i) => `${i === 0 ? 'M' : 'L'}${x(depth(q))} ${y(value)}`).join('');

const band = (parts: readonly Quantile[], { x, y, top }: Scale): string => {
  const bounded = parts.filter(({ low, high }) => low !== null && high !== null);
  const edge = (side: 'low' | 'high', order: readonly Quantile[]): string =>
    order.map((point) => `${x(depth(point.q))} ${y(Math.min(top, point[side] ?? 0))}`).join('L');
  if (bounded.length < 2) return '';
  return `M${edge('high', bounded)}L${edge('low', bounded.toReversed())}Z`;
};

/** The start of the tail: with fewer than ten samples beyond, the curve is dashed. */
const curveMarkup = (curve: PercentileCurve, scale: Scale): Markup => {
  const all = sampled(curve);
  const isThin = ({ q, n }: Quantile): boolean => n * (1 - q) < 10;
  const firm = all.filter((point) => !isThin(point));
  const thin = all.slice(Math.max(0, firm.length - 1));
  return markup`<g class="curve ${curve.name}">
    <path class="band" d="${band(all, scale)}" />
    <path class="firm" d="${path(firm, scale)}" />
    <path class="thin" d="${path(thin, scale)}" />
  </g>`;
};

const axisText = (value: number): string => Number(value.toPrecision(6)).toLocaleString('en-US');

const axes = ({ x, y, deepest, top }: Scale): Markup => {
  const { width, height, left, right, bottom } = frame;
  const across = ticksX.filter((q) => depth(q) <= deepest);
  const named = across.filter((q) => q > 0 || deepest < 3.5);
  return markup`<g class="axes">
    ${axisTicks(top).map(
      (value) => markup`
        <path class="grid" d="M${left} ${y(value)}H${width - right}" />
        <text x="${left - 8}" y="${y(value)}" dy="0.32em" text-anchor="end">${axisText(value)}</text>`,
    )}
    ${across.map(
      (q) => markup`<path class="grid" d="M${x(depth(q))} ${frame.top}V${height - bottom}" />`,
    )}
    ${named.map(
      (q) => markup`
        <text x="${x(depth(q))}" y="${height - bottom + 20}" text-anchor="middle">${tickName(q)}</text>`,
    )}
  </g>`;
};

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
  const scale = scaleOf(deepest, axisTicks(highest > 0 ? highest : 1).at(-1) ?? 1);
  const text = description(drawn, unit);
  return markup`<figure class="plot">
    <figcaption>
      <b>${title}</b>
      <span class="unit">${unit}</span>
      ${drawn.map(({ name }) => markup`<span class="key curve ${name}">${name}</span>`)}
    </figcaption>
    <svg
      viewBox="0 0 ${frame.width} ${frame.height}"
      role="img"
      aria-label="${title} by percentile. ${text}"
    >
      ${axes(scale)} ${drawn.map((curve) => curveMarkup(curve, scale))}
    </svg>
  </figure>`;
};

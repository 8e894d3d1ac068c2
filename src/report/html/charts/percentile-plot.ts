import type { Histogram } from '../../../model/measures/histogram.ts';
import { quantile, type Quantile } from '../../../model/measures/quantile.ts';
import { axisTo, type Pen, plotFigure } from '../../document/plot.ts';
import { figureText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';

/** One curve of a percentile plot. */
export interface PercentileCurve {
  readonly name: string;
  readonly histogram: Histogram;
}

const points = 96;

/** log₁₀(1/(1−q)): 0 at the minimum, 1 at p90, 2 at p99, 3 at p99.9. */
const depth = (q: number): number => Math.log10(1 / (1 - q));
const quantileAt = (x: number): number => 1 - 10 ** -x;

/** Of the median and the minimum, which may be too close, the median is shown. */
const ticks = [0.5, 0, 0.9, 0.99, 0.999, 0.9999, 0.99999].map((q) => {
  const name = q === 0 ? 'min' : `p${Number((q * 100).toFixed(5))}`;
  return [depth(q), name] as const;
});

/** The depth of the largest of n samples: the middle of its share. */
const deepestOf = ({ count }: Histogram): number => depth(1 - 0.5 / count);

const sampled = ({ histogram }: PercentileCurve): readonly Quantile[] =>
  Array.from({ length: points }, (_, i) => {
    const share = Math.max(i, 0.01) / (points - 1);
    return quantile(histogram, quantileAt(deepestOf(histogram) * share));
  }).flatMap((point) => point ?? []);

/** With fewer samples an interval exists around the middle only, and a patch there looks like a finding. */
const minBandSamples = 50;

/** The start of the tail: with fewer than ten samples beyond, the curve is dashed. */
const curveMarkup = (curve: PercentileCurve, { path }: Pen): Markup => {
  const all = sampled(curve);
  const line = all.map(({ q, value }) => [depth(q), value] as const);
  const hasBand = curve.histogram.count >= minBandSamples;
  const bounded = all.flatMap(({ q, low, high }) =>
    low === null || high === null || !hasBand ? [] : [{ x: depth(q), low, high }],
  );
  const above = bounded.map(({ x, high }) => [x, high] as const);
  const below = bounded.toReversed().map(({ x, low }) => [x, low] as const);
  const firm = all.filter(({ q, n }) => n * (1 - q) >= 10).length;
  return markup`<g class="${curve.name}">${path('area', [...above, ...below], 'Z')}
    ${path('firm', line.slice(0, firm))}${path('thin', line.slice(Math.max(0, firm - 1)))}</g>`;
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
  return plotFigure(
    {
      title,
      unit,
      keys: drawn.map(({ name }) => name),
      label: `${title} by percentile. ${description(drawn, unit)}`,
      size: [440, 280],
      x: { ends: [0, deepest], ticks },
      y: axisTo(highest || 1),
    },
    (pen) => drawn.map((curve) => curveMarkup(curve, pen)),
  );
};

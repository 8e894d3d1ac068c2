import { percentileName } from '../../../model/measures/headline.ts';
import { type Histogram, sumOfHistograms } from '../../../model/measures/histogram.ts';
import { logarithmicAxis, type Pen, plotFigure, timeAxis, axisTo } from '../../document/plot.ts';
import { countText, figureText, plural, secondsText } from '../../text/number-text.ts';
import { textIf } from '../../text/present.ts';
import { markup, type Markup } from '../../text/markup.ts';
import type { Quantile } from '../../../model/measures/quantile.ts';
import type { MeasuredFigures } from '../../../model/result/summary.ts';

/**
 * Counts the samples that are at most `value`, by binary search over the ranks, since a histogram only returns the
 * sample at a rank.
 */
const countUpTo = (histogram: Histogram, value: number): number => {
  let low = 0;
  let high = histogram.count;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (histogram.atRank(middle) <= value) low = middle;
    else high = middle - 1;
  }
  return low;
};

/**
 * Counts the samples between each pair of neighbouring edges. The edges must be in ascending order. The first count
 * includes all samples below the first edge.
 */
const binCounts = (histogram: Histogram, edges: readonly number[]): readonly number[] => {
  const upTo = edges.slice(1).map((edge) => countUpTo(histogram, edge * (1 + 1e-9)));
  return upTo.map((count, i) => count - (upTo[i - 1] ?? 0));
};

/**
 * A heat map has this many rows. It shows the distribution of a latency over the run: time from left to right, latency
 * upwards on a logarithmic scale.
 */

const rows = 24;
/**
 * The top of the vertical scale is at least this many times its bottom. So nearly equal latencies look like a line, not
 * like noise.
 */
const narrowest = 1.1;
/**
 * The opacities of the shades. All cells of one shade are one path, since a page with thousands of elements opens
 * slowly.
 */
const opacities = [0.12, 0.25, 0.4, 0.58, 0.78, 1] as const;

/** Returns the edges of the rows in ascending order. The factor between neighbouring edges is constant. */
const edgesOf = (least: number, most: number): readonly number[] => {
  const low = Math.max(least, most / 1e6, 1e-3);
  const factor = (Math.max(most, low * narrowest) / low) ** (1 / rows);
  return Array.from({ length: rows + 1 }, (_, i) => low * factor ** i);
};

/** Draws one path for each shade of cells. */
const shadedPaths = (
  columns: readonly (readonly number[])[],
  step: number,
  edges: readonly number[],
  pen: Pen,
): readonly Markup[] => {
  const most = Math.log1p(Math.max(...columns.flat()));
  const shades = opacities.length;
  const shadeOf = (count: number): number =>
    Math.min(shades - 1, Math.floor((Math.log1p(count) / most) * shades));
  const width = (pen.width / columns.length).toFixed(1);
  const outline = `h${width}v${(pen.height / rows).toFixed(1)}h-${width}z`;
  const cells = columns.flatMap((column, i) =>
    column.map((count, j) => ({
      count,
      d: `M${pen.x(i * step)} ${pen.y(edges[j + 1]!)}${outline}`,
    })),
  );
  const shaded = Map.groupBy(cells, ({ count }) => (count === 0 ? null : shadeOf(count)));
  return opacities.map((opacity, shade) => {
    const d = (shaded.get(shade) ?? []).map((cell) => cell.d).join('');
    return markup`<path class="cells p50" fill-opacity="${opacity}" d="${d}" />`;
  });
};

interface HeatmapOptions {
  readonly title: string;
  readonly unit: string;
  /** The width of a column in seconds. */
  readonly step: number;
  readonly columns: readonly Histogram[];
}

/** Draws a heat map; returns `null` with fewer than two samples. */
export const heatmap = ({ title, unit, step, columns }: HeatmapOptions): Markup | null => {
  const all = sumOfHistograms(columns, 2);
  if (all.count < 2) return null;
  const [least, most] = [all.min ?? 0, all.max ?? 0];
  const edges = edgesOf(least, most);
  const cells = columns.map((column) => binCounts(column, edges));
  return plotFigure(
    {
      title,
      unit: `${unit}, ${plural(step, 'second')} across, stronger colour for more`,
      aside: `${plural(all.count, 'sample')} from ${figureText(least)} to ${figureText(most)} ${unit}; the fullest cell has ${countText(Math.max(...cells.flat()))}.`,
      size: [900, 232],
      x: timeAxis(columns.length * step, secondsText),
      y: logarithmicAxis(edges[0]!, edges.at(-1)!),
    },
    (pen) => shadedPaths(cells, step, edges, pen),
  );
};

const bars = 40;
/**
 * The share of answers that a histogram draws. The slowest answers are only counted, since they would push all others
 * into the first bars.
 */
const drawnShare = 0.99;
/** The minimum number of samples for a histogram. Fewer samples are easier to read one by one. */
const minHistogramSamples = 20;

/**
 * Draws bars of equal width from zero to the p99. If the maximum is less than 1.5 times the p99, the bars reach to the
 * maximum. Returns `null` with fewer than `minHistogramSamples` samples.
 */
export const latencyHistogram = (
  { title, unit, colour }: Readonly<Record<'title' | 'unit' | 'colour', string>>,
  figures: MeasuredFigures,
): Markup | null => {
  const tail = figures.percentile(drawnShare);
  if (figures.count < minHistogramSamples || tail === null) return null;
  const most = figures.max ?? 0;
  const x = axisTo(most < 1.5 * tail.value ? most : tail.value);
  const width = x.ends[1] / bars;
  const edges = Array.from({ length: bars + 1 }, (_, i) => i * width);
  const counts = binCounts(figures.histogram, edges);
  const beyond = figures.count - counts.reduce((sum, count) => sum + count, 0);
  const slower = `; ${plural(beyond, 'slower one')} up to ${figureText(most)} ${unit} not drawn`;
  return plotFigure(
    {
      title,
      unit,
      aside: `${plural(figures.count, 'sample')} in steps of ${figureText(width)} ${unit}; at most ${countText(Math.max(...counts))} in one${textIf(beyond > 0, slower)}.`,
      size: [440, 220],
      x,
      y: axisTo(Math.max(...counts)),
    },
    ({ path }) =>
      counts.flatMap((count, i) => {
        const [left, right] = [i * width, (i + 0.92) * width];
        if (count === 0) return [];
        const bar = [
          [left, 0],
          [left, count],
          [right, count],
          [right, 0],
        ] as const;
        return [path(`area bar ${colour}`, bar, 'Z')];
      }),
  );
};

interface PercentileCurve {
  readonly name: string;
  readonly figures: MeasuredFigures;
}

const points = 96;

/** Returns log₁₀(1/(1−q)): 0 at the minimum, 1 at p90, 2 at p99, 3 at p99.9. */
const depth = (q: number): number => Math.log10(1 / (1 - q));
const quantileAt = (x: number): number => 1 - 10 ** -x;

/**
 * The ticks, in order of importance. If the median and the minimum are too close to each other, only the median is
 * shown.
 */
const ticks = [0.5, 0, 0.9, 0.99, 0.999, 0.9999, 0.99999].map((q) => {
  const name = q === 0 ? 'min' : percentileName(q);
  return [depth(q), name] as const;
});

/** Returns the depth at which the largest of n samples is drawn: in the middle of the top 1/n. */
const deepestOf = ({ count }: MeasuredFigures): number => depth(1 - 0.5 / count);

const sampled = ({ figures }: PercentileCurve): readonly Quantile[] =>
  Array.from({ length: points }, (_, i) => {
    const share = Math.max(i, 0.01) / (points - 1);
    return figures.percentile(quantileAt(deepestOf(figures) * share));
  }).flatMap((point) => point ?? []);

/**
 * The minimum number of samples for a band. With fewer samples, only the middle of the curve has confidence intervals,
 * and a band only in the middle would look like a finding.
 */
const minBandSamples = 50;

/** Draws a curve. The curve is dashed where fewer than ten samples are beyond a point. */
const curveMarkup = (curve: PercentileCurve, { path }: Pen): Markup => {
  const all = sampled(curve);
  const line = all.map(({ q, value }) => [depth(q), value] as const);
  const hasBand = curve.figures.count >= minBandSamples;
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
    .map(({ name, figures }) => {
      const percentileTexts = [0.5, 0.9, 0.99].flatMap((q) => {
        const figure = figures.percentile(q);
        return figure === null ? [] : [`${percentileName(q)} ${figureText(figure.value)} ${unit}`];
      });
      return `${name}: ${percentileTexts.join(', ')}, maximum ${figureText(figures.max ?? 0)} ${unit}`;
    })
    .join('; ');

/**
 * Plots values over percentiles, with 95 % confidence bands. On the horizontal axis, p90, p99 and p99.9 are equally far
 * apart.
 */
export const percentilePlot = (
  title: string,
  unit: string,
  curves: readonly PercentileCurve[],
): Markup | null => {
  const drawn = curves.filter(({ figures }) => figures.count >= 2);
  if (drawn.length === 0) return null;
  const deepest = Math.max(1, ...drawn.map(({ figures }) => deepestOf(figures)));
  const highest = Math.max(...drawn.map(({ figures }) => figures.max ?? 0));
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

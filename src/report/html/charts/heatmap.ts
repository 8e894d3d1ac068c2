import { type Histogram, sumOfHistograms } from '../../../model/measures/histogram.ts';
import { logarithmicAxis, type Pen, plotFigure, timeAxis } from '../../document/plot.ts';
import { countText, figureText, plural, secondsText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { binCounts } from './bin-counts.ts';

/** The distribution of a latency over the run: time from left to right, latency upwards on a logarithmic scale. */

const rows = 24;
/** A scale spans at least this factor, so that equal latencies look like one line, not like noise. */
const narrowest = 1.1;
/** Cells of one shade are one path, since a page with thousands of elements opens slowly. */
const opacities = [0.12, 0.25, 0.4, 0.58, 0.78, 1] as const;

/** The edges of the rows, ascending, with equal factors between minimum and maximum. */
const edgesOf = (least: number, most: number): readonly number[] => {
  const low = Math.max(least, most / 1e6, 1e-3);
  const factor = (Math.max(most, low * narrowest) / low) ** (1 / rows);
  return Array.from({ length: rows + 1 }, (_, i) => low * factor ** i);
};

/** One path for each shade; a column is `step` seconds wide. */
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

/** One measure over the run. */
export interface HeatmapOptions {
  readonly title: string;
  readonly unit: string;
  /** The seconds that a column stands for. */
  readonly step: number;
  readonly columns: readonly Histogram[];
}

/** `null` if there are fewer than two samples. */
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

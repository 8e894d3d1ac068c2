import type { Histogram } from '../../../model/measures/histogram.ts';
import { countText, figureText, plural, timeText } from '../../text/number-text.ts';
import { markup, type Markup } from '../../text/markup.ts';
import { plotOf } from './plot.ts';

/** The distribution of a latency over the run: time from left to right, latency upwards on a logarithmic scale. */

const plot = plotOf(900, 230, [10, 34]);
const rows = 24;
/** A scale spans at least this factor, so that equal latencies look like one line, not like noise. */
const narrowest = 1.1;
/** Cells of one shade are one path, since a page with thousands of elements opens slowly. */
const opacities = [0.12, 0.25, 0.4, 0.58, 0.78, 1] as const;
const shades = opacities.length;

/** The number of samples of at most `value`, by binary search, since a histogram only gives values by rank. */
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

/** The edges of the rows, ascending, with equal factors between minimum and maximum. */
const edgesOf = (least: number, most: number): readonly number[] => {
  const low = Math.max(least, most / 1e6, 1e-3);
  const factor = (Math.max(most, low * narrowest) / low) ** (1 / rows);
  return Array.from({ length: rows + 1 }, (_, i) => low * factor ** i);
};

/** The number of samples in each row of a column; the first row includes everything below the first edge. */
const columnOf = (histogram: Histogram, edges: readonly number[]): readonly number[] => {
  const upTo = edges.slice(1).map((edge) => countUpTo(histogram, edge * (1 + 1e-9)));
  return upTo.map((count, i) => count - (upTo[i - 1] ?? 0));
};

/** The axis labels: both ends, and between them 1, 2 and 5 times powers of ten, unless they are too close to others. */
const axisLabels = (low: number, high: number): readonly number[] => {
  const first = Math.floor(Math.log10(low));
  const powers = Array.from(
    { length: Math.ceil(Math.log10(high)) - first + 1 },
    (_, i) => first + i,
  );
  const span = Math.log(high / low);
  const labelled = [low, high];
  for (const digit of [1, 5, 2]) {
    for (const value of powers.map((power) => digit * 10 ** power)) {
      const isClear = labelled.every((other) => Math.abs(Math.log(value / other)) > span / 9);
      if (value > low && value < high && isClear) labelled.push(value);
    }
  }
  return labelled;
};

/** The cells as one path for each shade, and the count of the fullest cell. */
const shadedPaths = (cells: readonly (readonly number[])[]) => {
  const fullest = Math.max(...cells.flat());
  const shadeOf = (count: number): number =>
    Math.min(shades - 1, Math.floor((Math.log1p(count) / Math.log1p(fullest)) * shades));
  const width = (plot.plotWidth / cells.length).toFixed(1);
  const outline = `h${width}v${(plot.plotHeight / rows).toFixed(1)}h-${width}z`;
  const paths = Array.from({ length: shades }, () => '');
  for (const [i, column] of cells.entries()) {
    for (const [j, count] of column.entries()) {
      if (count === 0) continue;
      paths[shadeOf(count)] += `M${plot.x(i / cells.length)} ${plot.y((j + 1) / rows)}${outline}`;
    }
  }
  return { paths, fullest };
};

/** One measure over the run. */
export interface HeatmapOptions {
  readonly title: string;
  readonly unit: string;
  /** The seconds that a column stands for. */
  readonly step: number;
  readonly columns: readonly Histogram[];
}

/** `null` if there are fewer than two samples. Drawn without a script, so it prints. */
export const heatmap = ({ title, unit, step, columns }: HeatmapOptions): Markup | null => {
  const filled = columns.filter(({ count }) => count > 0);
  const total = filled.reduce((sum, { count }) => sum + count, 0);
  if (total < 2) return null;
  const least = Math.min(...filled.map(({ min }) => min ?? Number.POSITIVE_INFINITY));
  const most = Math.max(...filled.map(({ max }) => max ?? 0));
  const edges = edgesOf(least, most);
  const [low, high] = [edges[0]!, edges.at(-1)!];
  const { paths, fullest } = shadedPaths(columns.map((column) => columnOf(column, edges)));
  const text = `${plural(total, 'sample')} from ${figureText(least)} to ${figureText(most)} ${unit}; the fullest cell has ${countText(fullest)}`;
  return plot.figure(
    {
      title,
      unit: `${unit}, ${plural(step, 'second')} across, darker for more`,
      label: `${title}: ${text}.`,
      said: `${text}.`,
      upwards: axisLabels(low, high).map((value) => ({
        at: Math.log(value / low) / Math.log(high / low),
        text: figureText(value),
      })),
      across: [0, 0.25, 0.5, 0.75, 1].map((at) => ({
        at,
        text: timeText(at * columns.length * step * 1000),
        anchor: at === 1 ? 'end' : 'middle',
      })),
    },
    markup`${paths.map((cells, i) => markup`<path class="area p50" fill-opacity="${opacities[i]!}" d="${cells}" />`)}`,
  );
};

import type { TimelineSecond } from '../../model/measures/counts.ts';
import type { Histogram } from '../../model/measures/histogram.ts';
import { measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { latencyOver } from '../../model/result/summary.ts';
import { kindsPresent } from '../summary/figures.ts';
import { type Bins, countBins, intoBins } from '../html/charts/bins.ts';
import { heatmap } from '../html/charts/heatmap.ts';
import { type LoadPoint, loadPlot } from '../html/charts/load-plot.ts';
import { sumOf } from '../summary/groups.ts';
import { markup, type Markup } from '../text/markup.ts';
import { present } from '../text/present.ts';

const maxColumns = 60;
/** Dots from fewer samples are noise. */
const minSamples = 10;

/** At most sixty equal pieces of the run. */
const columnsOf = (result: Result): Bins => {
  const { step, count } = countBins(result);
  const width = step * Math.max(1, Math.ceil(count / maxColumns));
  return { step: width, count: Math.ceil((count * step) / width) };
};

const pointsOf = (
  parts: readonly (readonly TimelineSecond[])[],
  columns: readonly Histogram[],
  step: number,
): readonly LoadPoint[] =>
  parts.flatMap((seconds, i) => {
    const histogram = columns[i]!;
    const p50 = quantile(histogram, 0.5)?.value;
    if (p50 === undefined || histogram.count < minSamples) return [];
    const hasTail = histogram.count >= 2 * minSamples;
    const p95 = hasTail ? (quantile(histogram, 0.95)?.value ?? null) : null;
    return [{ rate: sumOf(seconds, ({ sent }) => sent) / step, p50, p95 }];
  });

/** Latency of completed requests by the second in which they were due, as a density over time and against the load. */
export const distributionSection = (result: Result): Markup | null => {
  const bins = columnsOf(result);
  const parts = intoBins(result.timeline, bins);
  const drawn = kindsPresent(result).map((kind) => {
    // What a user waits for first.
    const measure = kind === 'chat-stream' ? 'ttft' : 'endToEnd';
    const { label, unit } = measures[measure];
    const columns = parts.map((seconds) => latencyOver(seconds, kind, measure));
    // The last piece is rarely complete, so its rate would be too low.
    const points = pointsOf(parts.slice(0, -1), columns, bins.step);
    return {
      map: heatmap({ title: `${label}, ${kind}`, unit, step: bins.step, columns }),
      plot: loadPlot(`${label} against load, ${kind}`, unit, points),
    };
  });
  const maps = drawn.map(({ map }) => map);
  const plots = present(drawn.map(({ plot }) => plot));
  if (maps.every((map) => map === null)) return null;
  const plotted = markup`<div class="plots">${plots}</div>`;
  const notPlotted = markup`<p class="aside">Latency is not drawn against the load, which hardly varied or had too few requests in each piece.</p>`;
  return markup`${maps} ${plots.length === 0 ? null : plotted}
    ${plots.length === 0 ? notPlotted : null}`;
};

import type { TimelineSecond, TimelineMeasure } from '../../model/measures/counts.ts';
import { measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import { latencyOver } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { isWithheld, kindsPresent } from '../summary/figures.ts';
import { type Bins, countBins, intoBins } from '../html/charts/bins.ts';
import { heatmap } from '../html/charts/heatmap.ts';
import { type LoadPoint, loadPlot } from '../html/charts/load-plot.ts';
import { markup, type Markup } from '../text/markup.ts';

/** What a user waits for first, for each kind of traffic. */
const headlineLatency = {
  chat: 'endToEnd',
  'chat-stream': 'ttft',
  speech: 'endToEnd',
  transcription: 'endToEnd',
  models: 'endToEnd',
} as const satisfies Record<TrafficKind, TimelineMeasure>;

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
  step: number,
  [kind, measure]: readonly [TrafficKind, TimelineMeasure],
): readonly LoadPoint[] =>
  parts.flatMap((seconds) => {
    const histogram = latencyOver(seconds, kind, measure);
    const p50 = quantile(histogram, 0.5)?.value;
    if (p50 === undefined || histogram.count < minSamples) return [];
    const sent = seconds.reduce((sum, second) => sum + second.sent, 0);
    const p95 =
      histogram.count < 2 * minSamples ? null : (quantile(histogram, 0.95)?.value ?? null);
    return [{ rate: sent / step, p50, p95 }];
  });

/** Latency of completed requests by the second in which they were due, as a density over time and against the load. */
export const distributionSection = (result: Result, trust: Trust): Markup | null => {
  const bins = columnsOf(result);
  const parts = intoBins(result.timeline, bins);
  const shown = kindsPresent(result)
    .map((kind) => [kind, headlineLatency[kind]] as const)
    .filter(([, measure]) => !isWithheld(measure, trust));
  const maps = shown.map(([kind, measure]) =>
    heatmap({
      title: `${measures[measure].label}, ${kind}`,
      unit: measures[measure].unit,
      step: bins.step,
      columns: parts.map((seconds) => latencyOver(seconds, kind, measure)),
    }),
  );
  // The last piece is rarely complete, so its rate would be too low.
  const wholePieces = parts.slice(0, -1);
  const plots = shown.map(([kind, measure]) =>
    loadPlot(
      `${measures[measure].label} against load, ${kind}`,
      measures[measure].unit,
      pointsOf(wholePieces, bins.step, [kind, measure]),
    ),
  );
  if (maps.every((map) => map === null)) return null;
  const drawn = plots.filter((plot) => plot !== null);
  return markup`${maps} ${drawn.length === 0 ? null : markup`<div class="plots">${drawn}</div>`}
    ${
      drawn.length > 0
        ? null
        : markup`<p class="aside">Latency is not drawn against the load, which hardly varied or had too few requests in each piece.</p>`
    }`;
};

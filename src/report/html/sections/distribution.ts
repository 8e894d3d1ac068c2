import { measures } from '../../../model/measures.ts';
import { quantile } from '../../../model/quantile.ts';
import type { Result, Second, TimelineMeasure } from '../../../model/result.ts';
import { latencyOver } from '../../../model/summary.ts';
import type { TrafficKind } from '../../../model/traffic.ts';
import type { Trust } from '../../../model/verdict.ts';
import { isWithheld, kindsPresent } from '../../figures.ts';
import { type Bins, countBins, dealt } from '../bins.ts';
import { heatmap } from '../heatmap.ts';
import { type LoadPoint, loadPlot } from '../load-plot.ts';
import { markup, type Markup } from '../markup.ts';

/** What a user waits for first, by kind of traffic. */
const awaited = {
  chat: 'endToEnd',
  'chat-stream': 'ttft',
  speech: 'endToEnd',
  transcription: 'endToEnd',
  models: 'endToEnd',
} as const satisfies Record<TrafficKind, TimelineMeasure>;

const mostColumns = 60;
/** Dots of fewer samples are noise. */
const enough = 10;

/** At most sixty equal pieces of the run. */
const columnsOf = (result: Result): Bins => {
  const { step, count } = countBins(result);
  const width = step * Math.max(1, Math.ceil(count / mostColumns));
  return { step: width, count: Math.ceil((count * step) / width) };
};

const pointsOf = (
  parts: readonly (readonly Second[])[],
  step: number,
  [kind, measure]: readonly [TrafficKind, TimelineMeasure],
): readonly LoadPoint[] =>
  parts.flatMap((seconds) => {
    const histogram = latencyOver(seconds, kind, measure);
    const p50 = quantile(histogram, 0.5)?.value;
    if (p50 === undefined || histogram.count < enough) return [];
    const sent = seconds.reduce((sum, second) => sum + second.sent, 0);
    const p95 = histogram.count < 2 * enough ? null : (quantile(histogram, 0.95)?.value ?? null);
    return [{ rate: sent / step, p50, p95 }];
  });

/** Latency by the second in which requests were due, as a density over time and against the load; of completed requests. */
export const distributionSection = (result: Result, trust: Trust): Markup | null => {
  const bins = columnsOf(result);
  const parts = dealt(result.timeline, bins);
  const shown = kindsPresent(result)
    .map((kind) => [kind, awaited[kind]] as const)
    .filter(([, measure]) => !isWithheld(measure, trust));
  const maps = shown.map(([kind, measure]) =>
    heatmap({
      title: `${measures[measure].label}, ${kind}`,
      unit: measures[measure].unit,
      step: bins.step,
      columns: parts.map((seconds) => latencyOver(seconds, kind, measure)),
    }),
  );
  // The last piece is seldom whole, and its rate would be too low.
  const whole = parts.slice(0, -1);
  const plots = shown.map(([kind, measure]) =>
    loadPlot(
      `${measures[measure].label} against load, ${kind}`,
      measures[measure].unit,
      pointsOf(whole, bins.step, [kind, measure]),
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

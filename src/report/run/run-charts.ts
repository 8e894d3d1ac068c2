import type { Labels, TimelineSecond } from '../../model/measures/counts.ts';
import type { Histogram } from '../../model/measures/histogram.ts';
import { measures } from '../../model/measures/measures.ts';
import { quantile } from '../../model/measures/quantile.ts';
import type { Result } from '../../model/result/result.ts';
import type { RequestSample } from '../../model/result/request-sample.ts';
import { figuresOver, groupsMatching, latencyOver } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { type Block, fold, only, picture, text } from '../document/document.ts';
import { type Bins, countBins, intoBins } from '../html/charts/bins.ts';
import { chartFigure } from '../html/charts/chart-figure.ts';
import type { Chart } from '../html/charts/chart.ts';
import {
  flowChart,
  inFlightChart,
  generatorCharts,
  keyCharts,
  latencyCharts,
} from '../html/charts/client-charts.ts';
import { heatmap, latencyHistogram, percentilePlot } from '../html/charts/distribution-plots.ts';
import { serverCharts } from '../html/charts/server-charts.ts';
import {
  loadPlot,
  type LoadPoint,
  requestScatter,
  tokenScatter,
} from '../html/charts/dot-plots.ts';
import { isWithheld, kindsPresent, measuredOf } from '../summary/figures.ts';
import { runDuration } from '../summary/rates.ts';
import { markup, type Markup } from '../text/markup.ts';
import { present } from '../text/present.ts';
import { sumOf } from '../../model/sums.ts';

const maxColumns = 60;
/** The minimum number of samples for a dot. With fewer samples, a dot would be noise. */
const minSamples = 10;

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

/** Draws heat maps of latencies over the time at which requests were due, and plots latencies against load. */
const distributionSection = (result: Result): Markup | null => {
  const bins = columnsOf(result);
  const parts = intoBins(result.timeline, bins);
  const drawn = kindsPresent(result).map((kind) => {
    // A user waits for the first token of a stream, but for the end of any other answer.
    const measure = kind === 'chat-stream' ? 'ttft' : 'endToEnd';
    const { label, unit } = measures[measure];
    const columns = parts.map((seconds) => latencyOver(seconds, kind, measure));
    // The last bin has no dot, since it is rarely complete and its rate would be too low.
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

/** Makes the charts of a run. For a run in progress, the lines of due and sent requests end at `endedBefore` ms. */
export const runCharts = (
  result: Result,
  trust: Trust,
  endedBefore = Number.POSITIVE_INFINITY,
) => ({
  latency: latencyCharts(result, trust),
  flow: [flowChart(result, endedBefore), inFlightChart(result)],
  generator: generatorCharts(result),
  keys: keyCharts(result),
  server: serverCharts(result),
});
export type RunCharts = ReturnType<typeof runCharts>;

const percentilePlots = (result: Result, trust: Trust): Markup => {
  const names = ['ttft', 'firstAudio', 'gap', 'endToEnd'] as const;
  const shown = names.filter((name) => !isWithheld(name, trust));
  return markup`<div class="plots">${shown.map((name) =>
    percentilePlot(
      measures[name].label,
      measures[name].unit,
      kindsPresent(result).map((kind) => ({
        name: kind,
        figures: figuresOver(result, name, measuredOf(kind)),
      })),
    ),
  )}</div>`;
};

/** Draws histograms of the time to the first output and of the whole duration, for each kind of traffic. */
const histogramPlots = (result: Result, trust: Trust): readonly Markup[] =>
  (['ttft', 'firstAudio', 'endToEnd'] as const)
    .filter((name) => !isWithheld(name, trust))
    .flatMap((name) =>
      kindsPresent(result).flatMap((kind) => {
        const { label, unit } = measures[name];
        const figures = figuresOver(result, name, measuredOf(kind));
        return latencyHistogram({ title: `${label}, ${kind}`, unit, colour: kind }, figures) ?? [];
      }),
    );

/** Plots single requests over time, and TTFT against the prompt's length. */
const requestPlots = (result: Result): readonly Markup[] => {
  const { requestSample = [] } = result;
  const end = runDuration(result) / 1000;
  return present([
    ...kindsPresent(result).map((kind) => requestScatter(kind, requestSample, end)),
    tokenScatter(requestSample),
  ]);
};

/**
 * Returns the sampled requests of a population. `count` is the number of all its requests of the same kind and outcome.
 */
const sampleOfPopulation = (result: Result, name: string): readonly RequestSample[] =>
  (result.requestSample ?? []).flatMap((each) => {
    const isOwn = (labels: Labels): boolean =>
      labels.population === name && labels.traffic === each.traffic;
    const count = sumOf(groupsMatching(result, isOwn), ({ outcomes }) => outcomes[each.outcome]);
    const rows = each.rows.filter(([stage]) => result.plan.stages[stage]?.population === name);
    return count === 0 ? [] : [{ ...each, count, rows }];
  });

/**
 * Plots single requests over time, by population. The plots show whether a population gets slower while another
 * population sends.
 */
const populationPlots = (result: Result): readonly Markup[] => {
  const { plan, requestSample = [] } = result;
  const end = runDuration(result) / 1000;
  return kindsPresent(result).flatMap((kind) =>
    present(
      (plan.populations ?? []).map(({ name }) =>
        requestScatter(kind, requestSample, end, {
          name: `${name}: ${kind}`,
          sample: sampleOfPopulation(result, name),
        }),
      ),
    ),
  );
};

const latencyMeaning =
  'By the time at which requests were due. The marks above are the failures of all traffic. Drag across a chart to zoom in, double-click to zoom out.';
const bandMeaning =
  'Bands are 95 % confidence intervals, from fifty samples on. Curves are dashed where fewer than ten samples lie beyond.';

const figuresOf = (charts: readonly Chart[]): Block => picture(() => charts.map(chartFigure));

/**
 * Returns the first charts on the page: the most important latency, with failures marked, and the requests per second.
 */
export const firstCharts = ({ latency, flow }: RunCharts): Block => {
  const charts = [...latency.slice(0, 1), ...flow.slice(0, 1)];
  return picture(() => markup`<div class="pair">${charts.map(chartFigure)}</div>`);
};

/**
 * Shows percentiles, and single requests by population. Folds contain other latencies over time, all single requests,
 * histograms and densities.
 */
export const speedCharts = (
  result: Result,
  trust: Trust,
  { latency }: RunCharts,
): readonly Block[] => {
  const distribution = distributionSection(result);
  const others = latency.slice(1);
  const ofPopulations = populationPlots(result);
  const foldOf = (title: string, plots: readonly Markup[]): Block | false =>
    plots.length > 0 && fold(title, [picture(() => markup`<div class="plots">${plots}</div>`)]);
  return present([
    picture(() => percentilePlots(result, trust)),
    text(bandMeaning, 'quiet'),
    ofPopulations.length > 0 && picture(() => markup`<div class="plots">${ofPopulations}</div>`),
    others.length > 0 &&
      fold('Other latencies over time', [figuresOf(others), text(latencyMeaning, 'quiet')]),
    foldOf('Requests one by one', requestPlots(result)),
    foldOf('Latency as histograms', histogramPlots(result, trust)),
    distribution !== null && fold('Latency as density', [picture(() => distribution)]),
  ]).map((block) => only(['html'], block));
};

export const flowCharts = ({ flow }: RunCharts): Block => figuresOf(flow.slice(1));

export const healthCharts = ({ generator }: RunCharts): Block => figuresOf(generator);

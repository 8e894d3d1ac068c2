import { type MeasureName, measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { only, picture, section, type Section, text } from '../document/document.ts';
import { chartFigure } from '../html/charts/chart-figure.ts';
import type { Chart } from '../html/charts/chart.ts';
import { flowChart, inFlightChart } from '../html/charts/flow-charts.ts';
import { generatorCharts } from '../html/charts/generator-charts.ts';
import { keyCharts } from '../html/charts/key-charts.ts';
import { latencyCharts } from '../html/charts/latency-charts.ts';
import { percentilePlot } from '../html/charts/percentile-plot.ts';
import { isWithheld, kindsPresent } from '../summary/figures.ts';
import { measuredOf } from '../summary/groups.ts';
import { markup, type Markup } from '../text/markup.ts';
import { distributionSection } from './distribution.ts';

/** The charts over time, which the page's script draws. */
export const runCharts = (result: Result, trust: Trust) => ({
  latency: latencyCharts(result, trust),
  flow: [flowChart(result), inFlightChart(result)],
  generator: generatorCharts(result),
  keys: keyCharts(result),
});
export type RunCharts = ReturnType<typeof runCharts>;

const plotted: readonly MeasureName[] = ['ttft', 'firstAudio', 'gap', 'endToEnd'];

const percentilePlots = (result: Result, trust: Trust): Markup => {
  const shown = plotted.filter((name) => !isWithheld(name, trust));
  return markup`<div class="plots">${shown.map((name) =>
    percentilePlot(
      measures[name].label,
      measures[name].unit,
      kindsPresent(result).map((kind) => ({
        name: kind,
        histogram: distributionOf(result, name, measuredOf(kind)),
      })),
    ),
  )}</div>`;
};

const latencyMeaning =
  'Completed requests, by the time at which they were due. The marks above are the failures of all traffic, by the time at which they ended. Drag across a chart to zoom in, double-click to zoom out.';
const bandMeaning =
  'Bands are 95 % confidence intervals. Curves are dashed where fewer than ten samples lie beyond.';

/** The sections with charts and plots, for HTML only. */
export const chartSections = (
  result: Result,
  trust: Trust,
  { latency, flow, generator }: RunCharts,
): readonly Section[] => {
  const distribution = distributionSection(result);
  const chartSection = (
    id: string,
    title: string,
    charts: readonly Chart[],
    meaning = '',
  ): Section => {
    const blocks = [text(meaning, 'quiet'), picture(() => charts.map(chartFigure))];
    return section(title, charts.length === 0 ? [] : blocks, id);
  };
  return [
    chartSection('latency', 'Latency over time', latency, latencyMeaning),
    chartSection('flow', 'Flow', flow),
    section('Percentiles', [
      picture(() => percentilePlots(result, trust)),
      only(['html'], text(bandMeaning, 'quiet')),
    ]),
    section('Distribution', [distribution !== null && picture(() => distribution)]),
    chartSection('generator', 'Generator', generator),
  ];
};

import { createHash } from 'node:crypto';
import type { MeasureName } from '../../model/measures/measures.ts';
import { measures } from '../../model/measures/measures.ts';
import type { Result } from '../../model/result/result.ts';
import { distributionOf, outsideWarmUp } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { isWithheld, kindsPresent } from '../summary/figures.ts';
import { chartFigure } from './charts/chart-figure.ts';
import type { Chart } from './charts/chart.ts';
import { flowChart, inFlightChart } from './charts/flow-charts.ts';
import { generatorCharts } from './charts/generator-charts.ts';
import { keyCharts } from './charts/key-charts.ts';
import { latencyCharts } from './charts/latency-charts.ts';
import { markup, type Markup, verbatim } from '../text/markup.ts';
import { embeddedData } from './charts/page-data.ts';
import { percentilePlot } from './charts/percentile-plot.ts';
import { arrivalsSection } from './sections/arrivals.ts';
import { costSection } from './sections/cost.ts';
import { headlineSection } from './sections/headline.ts';
import { distributionSection } from './sections/distribution.ts';
import { keysSection } from './sections/keys.ts';
import { objectivesSection } from './sections/objectives.ts';
import { definitionsSection, scenarioSection } from './sections/reference.ts';
import { runLineMarkup, verdictSection } from './sections/verdict.ts';

/** The scripts and styles that the page carries within itself. */
interface ReportPageAssets {
  readonly chartScript: string;
  readonly chartStyle: string;
  readonly pageScript: string;
  readonly pageStyle: string;
}

interface ReportSection {
  readonly id: string;
  readonly title: string;
  readonly body: Markup | null;
}

/** The parser of HTML reads every line end as one line feed, and the hash is of what it read. */
const oneLineEnd = (text: string): string => text.replace(/\r\n?/g, '\n');

const hashOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing but what is written in this file may run, load or be sent to. */
const contentSecurityPolicy = ({
  chartScript,
  chartStyle,
  pageScript,
  pageStyle,
}: ReportPageAssets): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf(chartScript)} ${hashOf(pageScript)}`,
    `style-src ${hashOf(chartStyle)} ${hashOf(pageStyle)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');

const percentilePlots = (result: Result, trust: Trust): Markup => {
  const plotted: readonly MeasureName[] = ['ttft', 'firstAudio', 'gap', 'endToEnd'];
  return markup`<div class="plots">
      ${plotted
        .filter((name) => !isWithheld(name, trust))
        .map((name) =>
          percentilePlot(
            measures[name].label,
            measures[name].unit,
            kindsPresent(result).map((kind) => ({
              name: kind,
              histogram: distributionOf(
                result,
                name,
                (l) => outsideWarmUp(l) && l.traffic === kind,
              ),
            })),
          ),
        )}
    </div>
    <p class="aside">
      Bands are 95 % confidence intervals; curves are dashed where fewer than ten samples lie
      beyond.
    </p>`;
};

const chartFigures = (charts: readonly Chart[]): Markup | null =>
  charts.length === 0 ? null : markup`${charts.map(chartFigure)}`;

const latencyMarkup = (charts: readonly Chart[]): Markup | null =>
  charts.length === 0
    ? null
    : markup`<p class="aside">
          Completed requests, by the time at which they were due; the failures of all traffic are
          marked above, at the time at which they ended.
          <span class="hint">Drag across a chart to look closer, double-click to go back.</span>
        </p>
        ${chartFigures(charts)}`;

const sectionMarkup = ({ id, title, body }: ReportSection): Markup =>
  markup`<section id="${id}" aria-labelledby="${id}-title">
    <h2 id="${id}-title">${title}</h2>
    ${body}
  </section>`;

const sectionsOf = (
  result: Result,
  trust: Trust,
): { sections: readonly ReportSection[]; charts: readonly Chart[] } => {
  const latency = latencyCharts(result, trust);
  const flow = [flowChart(result)];
  const inFlight = [inFlightChart(result)];
  const generator = generatorCharts(result);
  const keys = keyCharts(result);
  const all: readonly ReportSection[] = [
    { id: 'objectives', title: 'Objectives', body: objectivesSection(result) },
    { id: 'figures', title: 'Figures', body: headlineSection(result, trust) },
    { id: 'outcomes', title: 'Outcomes', body: arrivalsSection(result) },
    { id: 'cost', title: 'Cost and audio', body: costSection(result) },
    { id: 'latency', title: 'Latency over time', body: latencyMarkup(latency) },
    { id: 'flow', title: 'Flow', body: chartFigures([...flow, ...inFlight]) },
    { id: 'percentiles', title: 'Percentiles', body: percentilePlots(result, trust) },
    { id: 'distribution', title: 'Distribution', body: distributionSection(result, trust) },
    { id: 'generator', title: 'Generator', body: chartFigures(generator) },
    { id: 'keys', title: 'Keys', body: keysSection(result, keys) },
    { id: 'scenario', title: 'Scenario', body: scenarioSection(result) },
    { id: 'definitions', title: 'Definitions', body: definitionsSection(result) },
  ];
  return {
    sections: all.filter(({ body }) => body !== null),
    charts: [...latency, ...flow, ...inFlight, ...generator, ...keys],
  };
};

const headMarkup = (result: Result, assets: ReportPageAssets): Markup => markup`<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentSecurityPolicy(assets)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Weir ${result.weir}">
<title>${result.plan.name}: Weir report</title>
<style>${verbatim(assets.chartStyle)}</style>
<style>${verbatim(assets.pageStyle)}</style>
</head>`;

const navMarkup = (sections: readonly ReportSection[]): Markup => markup`<nav aria-label="Sections">
  <ul>${sections.map(({ id, title }) => markup`<li><a href="#${id}">${title}</a></li>`)}</ul>
  <button id="theme" type="button" hidden>Theme: automatic</button>
</nav>`;

/**
 * The whole report as one HTML file that needs no network: its scripts and styles stand in it
 * and are allowed by their hash, everything else is forbidden, and all text of others is escaped.
 * Without scripts the tables and the percentile plots still read.
 */
export const htmlReport = (result: Result, trust: Trust, pageAssets: ReportPageAssets): string => {
  const assets: ReportPageAssets = {
    chartScript: oneLineEnd(pageAssets.chartScript),
    chartStyle: oneLineEnd(pageAssets.chartStyle),
    pageScript: oneLineEnd(pageAssets.pageScript),
    pageStyle: oneLineEnd(pageAssets.pageStyle),
  };
  const { sections, charts } = sectionsOf(result, trust);
  const { name, description } = result.plan;
  return markup`<!doctype html>
<html lang="en">
${headMarkup(result, assets)}
<body>
<header>
  <p class="brand">Weir</p>
  <h1>${name}</h1>
  ${description === null ? null : markup`<p class="description">${description}</p>`}
</header>
${navMarkup(sections)}
<main>
${verdictSection(result, trust)}
${runLineMarkup(result)}
<noscript><p class="aside">The charts over time need JavaScript. Their captions say what they
  would show; all tables and the percentile plots are here.</p></noscript>
<p id="trouble" class="aside" role="alert" hidden></p>
${sections.map(sectionMarkup)}
</main>
<footer><p>Measured by Weir ${result.weir}, begun ${result.startedAt}.</p></footer>
<script id="data" type="application/octet-stream">${embeddedData(result, charts)}</script>
<script>${verbatim(assets.chartScript)}</script>
<script>${verbatim(assets.pageScript)}</script>
</body>
</html>
`.markup;
};

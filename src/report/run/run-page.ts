import { gzipSync } from 'node:zlib';
import { stageSpans } from '../../model/plan/stage-spans.ts';
import type { Milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import type { Chart, PageData } from '../html/charts/chart.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { htmlPage } from '../document/html-page.ts';
import { markup } from '../text/markup.ts';
import { runCharts } from './run-charts.ts';
import { runDocument } from './run-document.ts';

/**
 * Encodes the data of the page's script as gzipped JSON in base64. `planned` is the end of the load, in ms. In a run in
 * progress, `planned` is later than the result's data, so the axes also contain the time that is still to come.
 */
export const embeddedData = (
  result: Result,
  charts: readonly Chart[],
  planned: Milliseconds = result.scheduled,
): string => {
  const data: PageData = {
    warmUp: result.plan.warmUp / 1000,
    scheduled: planned / 1000,
    end: Math.max(planned, result.ended) / 1000,
    stages: stageSpans(result.plan)
      .map(({ name, from }) => ({ name, from: from / 1000 }))
      .toSorted((a, b) => a.from - b.from)
      .filter(({ from }, i) => i === 0 || from < planned / 1000),
    charts,
  };
  return gzipSync(JSON.stringify(data), { level: 9 }).toString('base64');
};

export type PageAssets = Readonly<
  Record<'chartScript' | 'chartStyle' | 'themeScript' | 'pageScript' | 'pageStyle', string>
>;

export const pageScripts = (
  { chartScript, chartStyle, themeScript, pageScript }: Omit<PageAssets, 'pageStyle'>,
  data: string,
) => ({
  styles: [chartStyle],
  scripts: [themeScript, chartScript, pageScript],
  data: markup`<script id="data" type="application/octet-stream">${data}</script>`,
  hint: markup`<noscript><p class="aside">The charts over time need JavaScript. Their captions describe
  what they would show; all tables and the percentile plots are here.</p></noscript>
<p id="trouble" class="aside" role="alert" hidden></p>`,
});

/** Writes the report of a run as one HTML file that needs no network. Only the charts over time need scripts. */
export const runPage = (result: Result, trust: Trust, assets: PageAssets): string => {
  const charts = runCharts(result, trust);
  const data = embeddedData(result, Object.values(charts).flat());
  return htmlPage(runDocument(result, trust, charts), assets.pageStyle, pageScripts(assets, data));
};

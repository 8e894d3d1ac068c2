import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { htmlPage } from '../document/html-page.ts';
import { embeddedData } from '../html/charts/page-data.ts';
import { markup } from '../text/markup.ts';
import { runCharts } from './run-charts.ts';
import { runDocument } from './run-document.ts';

/** The scripts and styles that are embedded in the page. */
interface RunPageAssets {
  readonly chartScript: string;
  readonly chartStyle: string;
  readonly pageScript: string;
  readonly pageStyle: string;
}

/**
 * The report of a run as one HTML file that needs no network. Scripts draw the charts over time;
 * tables and percentile plots work without them.
 */
export const runPage = (result: Result, trust: Trust, assets: RunPageAssets): string => {
  const { chartScript, chartStyle, pageScript, pageStyle } = assets;
  const charts = runCharts(result, trust);
  const all = [...charts.latency, ...charts.flow, ...charts.generator, ...charts.keys];
  return htmlPage(runDocument(result, trust, charts), pageStyle, {
    styles: [chartStyle],
    scripts: [chartScript, pageScript],
    data: markup`<script id="data" type="application/octet-stream">${embeddedData(result, all)}</script>`,
    controls: markup`<button id="theme" type="button" hidden>Theme: automatic</button>`,
    hint: markup`<noscript><p class="aside">The charts over time need JavaScript. Their captions describe
  what they would show; all tables and the percentile plots are here.</p></noscript>
<p id="trouble" class="aside" role="alert" hidden></p>`,
  });
};

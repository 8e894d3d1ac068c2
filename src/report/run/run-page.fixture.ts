import { gunzipSync } from 'node:zlib';
import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import type { PageData } from '../html/charts/chart.ts';
import { runPage } from './run-page.ts';

const assets = {
  chartScript: 'const uPlot = 1;\r\n',
  chartStyle: '.uplot { color: red }',
  themeScript: '',
  pageScript: 'const page = uPlot;',
  pageStyle: 'body { margin: 0 }',
};

/** The page of a run, with scripts and styles of a line each. */
export const pageOf = (result: Result, trust: Trust): string => runPage(result, trust, assets);

/** What the first group of a pattern found, for each place in a page. */
export const all = (pattern: RegExp, page: string): readonly string[] =>
  [...page.matchAll(pattern)].map(([, part = '']) => part);

/** The data of a page's charts. */
export const chartDataIn = (page: string): PageData => {
  const [text = ''] = all(/type="application\/octet-stream">([^<]*)</g, page);
  return JSON.parse(gunzipSync(Buffer.from(text, 'base64')).toString()) as PageData;
};

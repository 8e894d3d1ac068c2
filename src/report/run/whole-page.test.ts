import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust } from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { runCharts } from './run-charts.ts';
import { stepSummary } from './run-document.ts';
import { runPage } from './run-page.ts';

/** Whole pages of the sample run: what no other test asks is noticed here. */

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
const verdicts = [
  sampleVerdict(),
  sampleVerdict({ ruling: 'fail', grounds: 'broken', sure: false }),
];
const result = { ...sampleRunResult(), planHash: 'b78f', verdicts };
const none = { chartScript: '', chartStyle: '', themeScript: '', pageScript: '', pageStyle: '' };
const page = runPage(result, degradedTrust, none).replace(/(octet-stream">)[^<]*/, '$1');

it('the page of a run has these words', () => {
  const words = page
    .replaceAll(/<(?:meta|div)[^>]*>/g, '')
    .replaceAll(/<svg[^]*?<\/svg>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .split('\n')
    .map((line) => line.replaceAll(/\s+/g, ' ').trim());
  expect(words.filter((line) => line !== '').join('\n')).toMatchSnapshot();
});

it('the page of a run has these drawings, charts and marks', () => {
  const drawings = [...page.matchAll(/<svg[^]*?<\/svg>/g)].map(
    ([svg]) => `${digest(svg)} ${/aria-label="([^"]{0,60})/.exec(svg)?.[1]}`,
  );
  const charts = Object.values(runCharts(result, degradedTrust))
    .flat()
    .map((chart) => `${digest(JSON.stringify(chart))} ${chart.title}`);
  const sections = page
    .replaceAll(/<svg[^]*?<\/svg>/g, '')
    .split('<section')
    .map((text) => `${digest(text)} ${/id="([^"]*)/.exec(text)?.[1]}`);
  expect({ drawings, charts, sections }).toMatchSnapshot();
});

it('the summary of a run is this page of Markdown', () => {
  expect(stepSummary(result, degradedTrust)).toMatchSnapshot();
});

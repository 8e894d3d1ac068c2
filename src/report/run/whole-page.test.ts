import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { degradedTrust } from '../fixtures/sample-trust.fixture.ts';
import { sampleVerdict } from '../fixtures/sample-verdict.fixture.ts';
import { runCharts } from './run-charts.ts';
import { stepSummary } from './run-document.ts';
import { runPage } from './run-page.ts';

/**
 * Whole pages of the sample run: what no other test asks is noticed here. `run-terminal.test.ts` has the words of the
 * report; here are the outlines of its pages, and a digest of each section.
 */

const digest = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 12);
const verdicts = [
  sampleVerdict(),
  sampleVerdict({ ruling: 'fail', grounds: 'broken', sure: false }),
];
const result = { ...sampleRunResult(), planHash: 'b78f', verdicts };
const none = { chartScript: '', chartStyle: '', themeScript: '', pageScript: '', pageStyle: '' };
const page = runPage(result, degradedTrust, none).replace(/(octet-stream">)[^<]*/, '$1');

/** The text of a piece of HTML, with one space between its words. */
const textIn = (html: string): string =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim();

const cellsIn = (row: string): string =>
  [...row.matchAll(/<t[hd][^>]*>([^]*?)<\/t[hd]>/g)].map(([, cell]) => textIn(cell!)).join(' | ');

/** The headings of a page, what can be opened, and each table by its caption, its column heads and its first row. */
const outlineOf = (html: string): string =>
  [...html.matchAll(/<(h[1-3]|summary|table)\b[^>]*>([^]*?)<\/\1>/g)]
    .flatMap(([, tag, inner = '']) => {
      if (tag === 'summary')
        return textIn(inner) === 'Values as a table' ? [] : `+ ${textIn(inner)}`;
      if (tag !== 'table') return `${'#'.repeat(Number(tag![1]))} ${textIn(inner)}`;
      const [, caption = ''] = /<caption>([^]*?)<\/caption>/.exec(inner) ?? [];
      const rows = inner.match(/<tr>[^]*?<\/tr>/g) ?? [];
      return [`table: ${textIn(caption)}`, ...rows.slice(0, 2).map((row) => `  ${cellsIn(row)}`)];
    })
    .join('\n');

it('the page of a run has these headings and tables', () => {
  expect(outlineOf(page)).toMatchSnapshot();
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

/** The headings of Markdown, and each table by its column heads and its first row. */
const markdownOutlineOf = (markdown: string): string => {
  const lines = markdown.split('\n');
  // A table has a head, a row of dashes, and rows.
  const isShown = (line: string, i: number): boolean =>
    line.startsWith('|')
      ? !line.startsWith('| ---') &&
        [lines[i + 1], lines[i - 1]].some((other) => other?.startsWith('| ---'))
      : line.startsWith('#') || line.startsWith('Started');
  return lines.filter(isShown).join('\n');
};

it('the summary of a run has these headings and tables in Markdown', () => {
  const markdown = stepSummary(result, degradedTrust);
  expect(`${markdownOutlineOf(markdown)}\n${digest(markdown)}`).toMatchSnapshot();
});

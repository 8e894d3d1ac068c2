// @gate 2 s
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { validTrust } from '../fixtures/sample-trust.fixture.ts';
import type { PageData } from '../html/charts/chart.ts';
import { livePage, livePageUpdate, type LiveRun } from './live-page.ts';

const result = sampleRunResult();
const run: LiveRun = {
  weir: '1.2.3',
  name: 'evening',
  planned: milliseconds(90_000),
  report: 'out/report.html',
  progress: { elapsed: 31_400.6, due: 1234, inFlight: 5 },
  soFar: null,
};
const until = (ms: number): LiveRun => ({
  ...run,
  soFar: { result, trust: validTrust, until: ms },
});
const dataIn = (page: string): PageData =>
  JSON.parse(
    gunzipSync(
      Buffer.from(/type="application\/octet-stream">([^<]*)</.exec(page)![1]!, 'base64'),
    ).toString(),
  ) as PageData;

it('the page of a run under way says how far it is, before there are figures too', () => {
  const preparing = livePageUpdate({ ...run, progress: null });
  expect(preparing).toContain('Preparing: no request has been sent yet.');
  expect(preparing).toContain('The first figures follow within a few seconds of the load.');
  expect(preparing).toContain('The report will be out/report.html.');
  expect(preparing).toContain('data-report="out/report.html"');
  const begun = livePageUpdate(run);
  expect(begun).toContain('max="90000" value="31401"');
  expect(begun).toMatch(/1,234 requests due · 5 in flight/);
  const late = livePageUpdate({ ...run, progress: { elapsed: 95_000, due: 1, inFlight: 0 } });
  expect(late).toContain('max="90000" value="90000"');
  expect(late).toContain('1 request due · 0 in flight');
});

it('the charts of the page end at the last whole second, and its axes at the planned end', () => {
  const data = dataIn(livePageUpdate(until(30_900)));
  expect(data).toEqual(dataIn(livePageUpdate(until(30_000))));
  expect(data.scheduled).toBe(90);
  const ends = (page: PageData): readonly number[] =>
    page.charts.map(({ step, lines }) =>
      Math.max(...lines.map(({ values }) => values.length * step)),
    );
  expect(ends(data).length).toBeGreaterThan(3);
  expect(Math.max(...ends(data))).toBe(30);
  expect(Math.max(...ends(dataIn(livePageUpdate(until(32_000)))))).toBe(32);
  // Seconds in which nothing happened count, too.
  const timeline = result.timeline.filter(({ second }) => second < 20);
  const soFar = { result: { ...result, timeline }, trust: validTrust, until: 30_000 };
  expect(Math.max(...ends(dataIn(livePageUpdate({ ...run, soFar }))))).toBe(30);
});

it('the page has the figures, notes and scripts, and an update has no script', () => {
  const noted = { ...result, notes: ['The server was slow.'] };
  const soFar = { result: noted, trust: validTrust, until: 30_000 };
  const scripts = { chartScript: 'c', chartStyle: 'd', themeScript: 't', pageScript: 'p' };
  const page = livePage({ ...run, soFar }, { ...scripts, pageStyle: 's', liveScript: 'live()' });
  expect(page).toContain('The server was slow.');
  expect(page).toMatch(/Figures of the requests that have ended so far: /);
  expect(page).toContain(`started ${result.startedAt}. The report will be out/report.html.`);
  expect(page).toContain('<script>live()</script>');
  expect(livePageUpdate({ ...run, soFar })).not.toContain('live()');
});

import { expect, it } from 'vitest';
import { maxLedgerRows } from '../../model/observation/ledger.ts';
import { fleetForecast, sourcePorts, weirCosts } from '../../model/plan/slice-forecast.ts';
import { sliceForecast } from '../../judge/calibration/needed-slices.ts';
import { documentText } from '../package/documents.fixture.ts';

/** The load of the page: 100,000 requests a second of 200 tokens in 10 s, for a minute, in 100 slices. */
const requests = 100_000;
const peak = { streams: requests * 10, chunks: requests * (200 + 10) };
const each = sliceForecast(peak, 100, null);
const whole = fleetForecast(each, {
  requests: requests * 60,
  scheduled: 60_000,
  rows: maxLedgerRows,
});

it('the page of scale has the figures that the forecast has', () => {
  const rows = documentText('reports/scale.md').split('\n');
  const rowOf = (name: string): string => rows.find((row) => row.startsWith(`| ${name}`)) ?? '';
  const count = (value: number): string => value.toLocaleString('en-US');
  const forecast = {
    'streams at once': [count(each.streams), count(each.streams * 100)],
    'chunks a second': [count(each.chunksPerSecond), count(each.chunksPerSecond * 100)],
    workers: [count(each.workers), count(each.workers * 100)],
    'cores busy': [each.cores.toFixed(2), whole.cores.toFixed(0)],
    memory: [`${(each.memory / 1e9).toFixed(2)} GB`, `${(whole.memory / 1e9).toFixed(0)} GB`],
    sockets: [count(each.sockets), count(each.sockets * 100)],
    'source addresses': [String(whole.addresses), count(sourcePorts)],
    'answers received': [
      `${(each.bytesPerSecond / 1e6).toFixed(0)} MB/s`,
      `${(whole.bytesPerSecond / 1e9).toFixed(2)} GB/s`,
    ],
    results: [`${(whole.results / 1e8).toFixed(2)} MB`, `${(whole.results / 1e6).toFixed(0)} MB`],
    'reading and merging': [
      `${(whole.mergeTime / 1000).toFixed(0)} s`,
      `${(whole.mergeMemory / 1e9).toFixed(1)} GB`,
    ],
  };
  const missing = Object.entries(forecast).flatMap(([name, figures]) =>
    figures.filter((figure) => !rowOf(name).includes(figure)).map((figure) => [name, figure]),
  );
  expect(missing).toEqual([]);
});

it('results grow with the requests of a slice until its ledger is full', () => {
  const rows = maxLedgerRows;
  const resultsOf = (all: number): number =>
    fleetForecast(each, { requests: all, scheduled: 0, rows }).results / 100;
  expect(resultsOf(0)).toBe(weirCosts.result);
  expect(resultsOf(100 * 10) - weirCosts.result).toBe(10 * weirCosts.row);
  expect(resultsOf(100 * maxLedgerRows * 3)).toBe(resultsOf(100 * maxLedgerRows));
});

it.each([
  [1, 1],
  [sourcePorts, 1],
  [sourcePorts + 1, 2],
  [1_000_000, 36],
])('%i streams need %i source addresses', (streams, addresses) => {
  const slice = sliceForecast({ streams, chunks: 0 }, 1, null);
  expect(fleetForecast(slice, { requests: 0, scheduled: 0, rows: 0 }).addresses).toBe(addresses);
});

import { expect, it } from 'vitest';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { htmlPage } from '../document/html-page.ts';
import { terminalText } from '../document/terminal-writer.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { runDocument, slicesText } from './run-document.ts';

const [slice] = sampleRunResult().slices;
const ofClocks = (...clocks: readonly (string | undefined)[]) => ({
  slices: clocks.map((clock) => ({ ...slice!, clock })),
});

it.each([
  ['one alone', [undefined], []],
  ['slices of different processes', [undefined, undefined], ['2 slices']],
  ['the workers of one process', ['a', 'a', 'a'], ['3 workers']],
  ['the workers of two', ['a', 'a', 'b', 'b'], ['4 slices']],
])('names the senders: %s', (_, clocks, expected) => {
  expect(slicesText(ofClocks(...clocks))).toEqual(expected);
});

it('a run of several machines shows how late each of them was, and how its clock differed', () => {
  const lagOf = (...samples: readonly number[]) => {
    const histogram = emptyHistogram();
    histogram.recordAll(samples);
    return histogram.toJSON();
  };
  const result = sampleRunResult();
  const ran = { ...slice!, count: 2, trust: 'valid' as const };
  const slices = [
    { ...ran, index: 0, host: 'here', lag: lagOf(...Array<number>(98).fill(1), 7, 7) },
    { ...ran, index: 1, host: 'there', clockOffset: { offset: -3, uncertainty: 0.5 } },
  ];
  const trust = { level: 'valid', evidence: [], figures: [] } as const;
  const shown = (some: typeof result.slices) =>
    terminalText(runDocument({ ...result, slices: some }, trust), { colour: false, width: 160 });
  const lines = shown(slices).split('\n');
  const row = (host: string) =>
    lines
      .find((line) => line.includes(` ${host} `))
      ?.trim()
      .split(/ {2,}/);
  expect(row('here')).toEqual(['slice 0/2', 'here', 'not measured', '1.00', '7.00', 'valid']);
  expect(row('there')).toEqual(['slice 1/2', 'there', '−3.00 ± 0.50', '–', '–', 'valid']);
  expect(shown([slice!])).not.toContain('Slices: clocks and lags');
});

it('the scenario names each load generator, with its version, system and processors', () => {
  const trust = { level: 'valid', evidence: [], figures: [] } as const;
  const result = sampleRunResult();
  const machine = {
    ...slice!.machine,
    node: '24.1.2',
    platform: 'linux arm64',
    cores: 12,
    cpu: 'X',
  };
  const shown = (slices: typeof result.slices): string =>
    htmlPage(runDocument({ ...result, slices }, trust), '').replaceAll(/<[^>]*>/g, ' ');
  const alone = shown([{ ...slice!, machine }]);
  expect(alone).toMatch(/\bGenerator\s+Node 24\.1\.2 on linux arm64, 12 × X\b/);
  expect(alone).toContain(`${result.runId}, started ${result.startedAt}, written by Weir`);
  expect(alone).toContain(result.planHash);
  const two = shown([0, 1].map((index) => ({ ...slice!, machine, index, count: 2 })));
  expect(two.match(/Generator of [^<]*?\s+Node 24\.1\.2 on linux arm64, 12 × X/g)).toHaveLength(2);
});

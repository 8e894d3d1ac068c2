import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { chosenFiles, drawnOn, testFiles } from '../../../.ci/test-files.ts';

const files = testFiles();
const long = files.filter(({ mark }) => mark === 'long');
const tenDays = Array.from({ length: 10 }, (_, n) => `2026-12-${n + 10}`);

describe('the long tests', () => {
  it('each have their turn within ten days, once', () => {
    const drawn = tenDays.flatMap((day) => drawnOn(day, files)).map(({ path }) => path);
    expect(drawn.toSorted()).toEqual(long.map(({ path }) => path));
  });

  it('are drawn again by the same date, and take about as long on each', () => {
    const seconds = tenDays.map((day) => {
      expect(drawnOn(day, files)).toEqual(drawnOn(day, files));
      return drawnOn(day, files).reduce((sum, file) => sum + file.seconds, 0);
    });
    const average = seconds.reduce((sum, each) => sum + each, 0) / seconds.length;
    for (const each of seconds) expect(each).toBeLessThan(1.5 * average);
  });

  it('are left out of the short ones, and none is left out of all', () => {
    expect(chosenFiles(files, {}).filter(({ mark }) => mark !== null)).toEqual([]);
    expect(chosenFiles(files, { WEIR_TESTS: 'all' })).toEqual(files);
    const sample = { WEIR_TESTS: 'sample', WEIR_SAMPLE: tenDays[0] };
    const gate = files.filter(({ mark }) => mark === 'gate');
    expect(gate.length).toBeGreaterThan(0);
    expect(new Set(chosenFiles(files, sample))).toEqual(
      new Set([...chosenFiles(files, {}), ...gate, ...drawnOn(tenDays[0]!, files)]),
    );
  });

  it('refuse a choice and a date that do not exist', () => {
    expect(() => chosenFiles(files, { WEIR_TESTS: 'most' })).toThrow('expected short, sample, all');
    expect(() => drawnOn('tomorrow', files)).toThrow('expected a date such as 2026-11-27');
  });
});

it('the document names exactly the files that run only with all', async () => {
  const text = await readFile('.ci/README.md', 'utf8');
  const named = [...text.matchAll(/^- `(src\/\S+)`: /gm)].map(([, path]) => path);
  expect(named).toEqual(files.filter(({ mark }) => mark === 'full').map(({ path }) => path));
});

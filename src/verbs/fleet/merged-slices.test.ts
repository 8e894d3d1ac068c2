import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { emptyTally, toResult } from '../../record/tally.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { mergeStored } from './merge-stored.ts';

const opened = () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-merged-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stored = (index: number, more: Parameters<typeof sampleFacts>[1] = {}): string => {
    const path = join(folder, `${index}.json`);
    const facts = sampleFacts([{ index, count: 2 }], more);
    writeFileSync(path, JSON.stringify(toResult(emptyTally(samplePlan()), facts)));
    return path;
  };
  const fake = fakeHost();
  const out = join(folder, 'out');
  const merge = (...results: readonly string[]) =>
    mergeStored({ results, out, extraReports: {}, history: null }, fake.host);
  return { ...fake, stored, merge, out };
};

it('the results of slices are merged into one, with its reports', async () => {
  const { stored, merge, out, warned, printed } = opened();
  // No request was sent in them.
  expect(await merge(stored(1), stored(0))).toBe('empty');
  const result = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as Result;
  expect(result.slices.map(({ index, count }) => [index, count])).toEqual([
    [0, 2],
    [1, 2],
  ]);
  expect([result.runId, result.partial]).toEqual(['run', null]);
  expect(readdirSync(out)).toContain('report.html');
  expect([warned, printed.length]).toEqual([[], 1]);
});

it('a slice that is missing makes the run incomplete, and one of another run is refused', async () => {
  const { stored, merge, out } = opened();
  const first = stored(0);
  expect(await merge(first)).toBe('incomplete');
  const { summary } = JSON.parse(readFileSync(join(out, 'result.json'), 'utf8')) as {
    readonly summary: { readonly exit: { readonly reasons: readonly string[] } };
  };
  expect(summary.exit.reasons[0]).toBe('The run is incomplete: slice 1/2 is missing.');
  await expect(merge(first, stored(1, { planHash: 'other' }))).rejects.toThrow(/plan/);
});

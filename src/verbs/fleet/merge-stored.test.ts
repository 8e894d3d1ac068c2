import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { emptyTally, toResult } from '../../record/tally.ts';
import { fakeHost } from '../../run/fake-host.fixture.ts';
import { mergeStored } from './merge-stored.ts';

it('a whole run is no slice: alone it is complete, and twice it is no run of two', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-merge-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const stored = (name: string, slices: Parameters<typeof sampleFacts>[0]): string => {
    const path = join(folder, name);
    const result = toResult(emptyTally(samplePlan()), sampleFacts(slices));
    writeFileSync(path, JSON.stringify(result));
    return path;
  };
  const merge = (...results: readonly string[]) =>
    mergeStored(
      { results, out: join(folder, 'out'), extraReports: {}, history: null },
      fakeHost().host,
    );
  const whole = stored('whole.json', [{ index: 0, count: 1 }]);
  await expect(merge(whole)).rejects.toThrow(
    `${whole} is a complete run: expected the results of slices`,
  );
  await expect(merge(whole, whole)).rejects.not.toThrow('is a complete run');
});

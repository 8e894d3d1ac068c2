// @gate 1 s
import { expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { validTrust } from '../fixtures/sample-trust.fixture.ts';
import { runPage } from './run-page.ts';

const assets = { chartScript: '', chartStyle: '', themeScript: '', pageScript: '', pageStyle: '' };

it('the report of a ten-minute run stays far below a megabyte', () => {
  const result = sampleRunResult();
  const timeline = Array.from({ length: 600 }, (_, second) => ({
    ...result.timeline[second % 60]!,
    second,
  }));
  const long: Result = {
    ...result,
    timeline,
    scheduled: milliseconds(600_000),
    ended: milliseconds(600_000),
  };
  // The chart library and our own page add about 80 kB.
  expect(runPage(long, validTrust, assets).length).toBeLessThan(300_000);
});

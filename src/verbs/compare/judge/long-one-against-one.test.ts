// @long 130 s
import { describe, expect, it, vi } from 'vitest';
import { regressionsOneAgainstOne } from './one-against-one.fixture.ts';

vi.setConfig({ testTimeout: 600_000 });

describe('one run against one, unchanged', () => {
  it.each([
    { process: 'M/M/1 at 0.5', requests: 1000, pairs: 1000 },
    { process: 'M/M/1 at 0.8', requests: 1000, pairs: 1000 },
    { process: 'M/M/8 at 0.8', requests: 1000, pairs: 300 },
    { process: 'AR(1) of 0.8', requests: 1000, pairs: 300 },
    { process: 'bursts of 50', requests: 1000, pairs: 300 },
    { process: 'M/M/1 at 0.8', requests: 10_000, pairs: 300 },
  ])('$process with $requests requests is a regression in at most 2 %', ({ process, ...run }) => {
    expect(regressionsOneAgainstOne(process, run)).toBeLessThanOrEqual(0.02 * run.pairs);
  });
});

import { expect, it } from 'vitest';
import { liveSeries } from './live-series.ts';

it('the buckets of each histogram ascend in small steps, and other series have none', () => {
  for (const { kind, buckets } of Object.values(liveSeries)) {
    expect(buckets).toEqual([...new Set(buckets)].toSorted((a, b) => a - b));
    expect(buckets.length > 0).toBe(kind === 'histogram');
    // No bound is more than four times the one before.
    for (const [i, bound] of buckets.entries())
      if (i > 0) expect(bound / buckets[i - 1]!).toBeLessThanOrEqual(4);
  }
});

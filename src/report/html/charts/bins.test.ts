import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../../model/quantity.ts';
import { sampleRunResult } from '../../fixtures/sample-result.fixture.ts';
import { countBins, intoBins, percentileBins } from './bins.ts';

const result = sampleRunResult();
const lasting = (seconds: number) => ({
  ...result,
  timeline: [],
  scheduled: milliseconds(seconds * 1000),
  ended: milliseconds(seconds * 1000),
});

describe('bins', () => {
  it.each([
    [30, { step: 1, count: 30 }],
    [600, { step: 1, count: 600 }],
    [601, { step: 2, count: 301 }],
    [86_400, { step: 300, count: 288 }],
  ])('of counts over %d s are as fine as the page can show', (seconds, bins) => {
    expect(countBins(lasting(seconds))).toEqual(bins);
  });

  it.each([
    [60, 6000, 1],
    [60, 600, 2],
    [60, 60, 5],
    [600, 600, 30],
    [7200, 1e6, 15],
  ])('of percentiles over %d s with %d samples are %d s wide', (seconds, samples, step) => {
    expect(percentileBins(lasting(seconds), samples).step).toBe(step);
  });

  it('contain every second exactly once, in its bin', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(299)), fc.constantFrom(1, 2, 5, 60), (seconds, step) => {
        const rows = seconds.map((second) => ({ second }));
        const parts = intoBins(rows, { step, count: Math.ceil(300 / step) });
        expect(parts.flat()).toHaveLength(rows.length);
        for (const [i, part] of parts.entries()) {
          expect(part.every(({ second }) => Math.floor(second / step) === i)).toBe(true);
        }
      }),
    );
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { emptyHistogram, type EncodedHistogram } from '../../model/measures/histogram.ts';
import type { CanarySample } from '../../model/result/canary.ts';
import {
  healthyResult,
  sampleGroup,
  sampleJudgedSlice,
  sampleSeconds,
  streamLabels,
} from '../sample-result.fixture.ts';
import { figureErrorsOf } from './figure-errors.ts';

const histogramOf = (samples: readonly number[]): EncodedHistogram => {
  const histogram = emptyHistogram();
  for (const sample of samples) histogram.record(sample);
  return histogram.toJSON();
};

const mean = (all: readonly number[]): number =>
  all.reduce((sum, each) => sum + each, 0) / all.length;

/** Returns the bounds of the mean of a measure. By default, a thousand reads of the self-test streams were not late. */
const boundsOfMean = (
  name: 'ttft' | 'gap' | 'outputSpeed' | 'inputTokens' | 'speechFactor',
  distributions: Readonly<Record<string, readonly number[]>>,
  delays: Readonly<Record<string, readonly number[]>>,
  errors: CanarySample['errors'] = [[0, 1000]],
) => {
  const encoded = (all: Readonly<Record<string, readonly number[]>>) =>
    Object.fromEntries(Object.entries(all).map(([each, samples]) => [each, histogramOf(samples)]));
  const result = healthyResult({
    slices: [sampleJudgedSlice(sampleSeconds([{ canary: { streams: 1, errors } }]))],
    groups: [
      sampleGroup(0, {
        labels: streamLabels,
        distributions: encoded(distributions),
        delays: encoded(delays),
      }),
    ],
  });
  return figureErrorsOf(result).boundsOfMean(name, () => true);
};

describe('the bounds of a mean', () => {
  it('hold the true mean, however delays and times depend on each other', () => {
    const request = fc.tuple(fc.integer({ min: 1, max: 5000 }), fc.integer({ min: 0, max: 5000 }));
    fc.assert(
      fc.property(fc.array(request, { minLength: 1, maxLength: 60 }), (requests) => {
        const seen = requests.map(([took, late]) => took + late);
        const bounds = boundsOfMean(
          'ttft',
          { ttft: seen },
          { first: requests.map(([, late]) => late) },
        )!;
        const truth = mean(requests.map(([took]) => took));
        // Histograms keep three digits.
        expect(bounds.low).toBeLessThanOrEqual(truth + 0.002 * mean(seen));
        expect(bounds.high).toBeGreaterThanOrEqual(truth * 0.998);
      }),
    );
  });

  it('are as wide as the mean delay, by the least unit of what divides the time', () => {
    expect(boundsOfMean('ttft', { ttft: [100, 300] }, { first: [10, 30] })!.low).toBeCloseTo(180);
    const factor = boundsOfMean(
      'speechFactor',
      { speechFactor: [100, 300], speechSeconds: [2, 4] },
      { end: [10, 30] },
    )!;
    expect(factor.low).toBeCloseTo(190);
  });

  it.each([1, 2, 5, 100])(
    'have all of the delay that each read of the self-test streams had, for %i requests',
    (count) => {
      const ttft = Array.from({ length: count }, () => 100);
      // A stream has twenty events in a second.
      expect(boundsOfMean('ttft', { ttft }, { first: [0] }, [[4, 20]])!.low).toBeCloseTo(96);
    },
  );

  it('of gaps are by the least and the greatest true value of each', () => {
    const gaps = { gapLow: [10, 20], gapHigh: [30, 60] };
    const bounds = boundsOfMean('gap', { gap: [20, 40] }, gaps)!;
    expect([bounds.low, bounds.high]).toEqual([expect.closeTo(15, 0), expect.closeTo(45, 0)]);
  });

  it('are unknown for a speed, and nothing for what is no time', () => {
    expect(boundsOfMean('outputSpeed', { outputSpeed: [100] }, { tokens: [1] })).toBeNull();
    expect(boundsOfMean('inputTokens', { inputTokens: [100] }, { end: [1] })).toBeNull();
  });
});

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { canaryErrors, type CanarySample, roundedError } from './canary.ts';
import { quantile } from '../measures/quantile.ts';

const anError = fc.double({ min: 0, max: 5000, noNaN: true }).map(roundedError);

/** A second's errors as they are kept. */
const sampleOf = (errors: readonly number[]): CanarySample => ({
  streams: 20,
  errors: [...Map.groupBy(errors, (error) => error)]
    .map(([error, alike]): [number, number] => [error, alike.length])
    .toSorted(([a], [b]) => a - b),
});

describe('a canary’s errors', () => {
  it('have the percentiles of all events, in whichever seconds and loops they were read', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(anError, { maxLength: 40 }), { minLength: 1, maxLength: 6 }),
        fc.constantFrom(0.01, 0.5, 0.9, 0.99),
        (seconds, q) => {
          const all = seconds.flat().toSorted((a, b) => a - b);
          const errors = canaryErrors(seconds.map((each) => ({ canary: sampleOf(each) })));
          expect([errors.count, errors.max]).toEqual([all.length, all.at(-1) ?? null]);
          const rank = Math.max(1, Math.ceil(all.length * q - 1e-9));
          expect(quantile(errors, q)?.value).toBe(all[rank - 1]);
        },
      ),
    );
  });

  it('are absent if seconds have no canary', () => {
    const { count, max, streams } = canaryErrors([{ canary: null }, {}]);
    expect({ count, max, streams }).toEqual({ count: 0, max: null, streams: 0 });
  });

  it.each([
    [0, 0],
    [0.0349, 0.03],
    [0.996, 1],
    [1.26, 1.3],
    [123.4, 120],
  ])('of %f ms are stored as %f', (error, kept) => {
    expect(roundedError(error)).toBe(kept);
  });
});

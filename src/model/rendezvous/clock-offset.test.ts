import fc from 'fast-check';
import { expect, it } from 'vitest';
import { offsetFrom, offsetOver, type RoundTrip } from './clock-offset.ts';

const delays = fc.record({
  before: fc.double({ min: 0, max: 50, noNaN: true }),
  after: fc.double({ min: 0, max: 50, noNaN: true }),
});

/** A round trip from an own instant to a clock that is `ahead` behind it. */
const roundAt = (
  asked: number,
  ahead: number,
  { before, after }: { before: number; after: number },
) => ({
  asked,
  other: asked + before - ahead,
  answered: asked + before + after,
});

it('the true offset lies within the uncertainty of the quickest round trip', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e7, max: 1e7, noNaN: true }),
      fc.array(delays, { minLength: 1, maxLength: 16 }),
      (ahead, all) => {
        const trips: RoundTrip[] = all.map((delay, n) => roundAt(n * 100, ahead, delay));
        const found = offsetFrom(trips)!;
        expect(Math.abs(found.offset - ahead)).toBeLessThanOrEqual(found.uncertainty + 1e-6);
        const shortest = Math.min(...all.map(({ before, after }) => before + after));
        expect(found.uncertainty).toBeCloseTo(shortest / 2, 6);
      },
    ),
  );
  expect(offsetFrom([])).toBeNull();
});

it('clocks that drift apart evenly stay within the uncertainty from the first measurement to the last', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e4, max: 1e4, noNaN: true }),
      fc.double({ min: -1e-3, max: 1e-3, noNaN: true }),
      fc.array(delays, { minLength: 2, maxLength: 2 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (ahead, drift, [one, other], when) => {
        const length = 1e5;
        const aheadAt = (at: number): number => ahead + drift * at;
        const first = offsetFrom([roundAt(0, aheadAt(0), one!)])!;
        const last = offsetFrom([roundAt(length, aheadAt(length), other!)])!;
        const { offset, uncertainty } = offsetOver(first, last);
        expect(Math.abs(offset - aheadAt(when * length))).toBeLessThanOrEqual(uncertainty + 1e-6);
      },
    ),
  );
});

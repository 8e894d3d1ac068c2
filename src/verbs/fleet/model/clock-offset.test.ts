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

it('the true offset lies within the uncertainty of several round trips, which is at most that of the quickest', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e7, max: 1e7, noNaN: true }),
      fc.double({ min: -1e-3, max: 1e-3, noNaN: true }),
      fc.array(delays, { minLength: 1, maxLength: 16 }),
      (ahead, drift, all) => {
        const trips: RoundTrip[] = [];
        let at = 0;
        for (const delay of all) {
          trips.push(roundAt(at, ahead + drift * (at + delay.before), delay));
          at += delay.before + delay.after;
        }
        const found = offsetFrom(trips)!;
        const truth = ahead + drift * at;
        expect(Math.abs(found.offset - truth)).toBeLessThanOrEqual(found.uncertainty + 1e-6);
        const shortest = Math.min(...all.map(({ before, after }) => before + after));
        expect(found.uncertainty).toBeLessThanOrEqual(shortest / 2 + at * 1e-3 + 1e-6);
      },
    ),
  );
  expect(offsetFrom([])).toBeNull();
});

it('round trips whose answers waited in turn on either way bound the offset better than each of them', () => {
  const late = roundAt(0, 7, { before: 9, after: 1 });
  const early = roundAt(10, 7, { before: 1, after: 9 });
  const { offset, uncertainty } = offsetFrom([late, early])!;
  expect(Math.abs(offset - 7)).toBeLessThanOrEqual(uncertainty);
  expect(uncertainty).toBeLessThan(1.03);
});

it('after a clock was set, the last round trip counts', () => {
  const delay = { before: 1, after: 1 };
  const found = offsetFrom([roundAt(0, 0, delay), roundAt(10, 500, delay)])!;
  expect(found.offset).toBeCloseTo(500);
  expect(found.uncertainty).toBeCloseTo(1.002);
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

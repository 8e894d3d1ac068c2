import { array, assert, double, integer, property } from 'fast-check';
import { expect, it } from 'vitest';
import { healthyResult } from '../../../judge/sample-result.fixture.ts';
import { placesApart, remainingChange } from './run-order.ts';

const at = (minute: number) =>
  healthyResult({
    lags: [],
    startedAt: `2026-07-01T10:${String(minute).padStart(2, '0')}:00.000Z`,
  });

it('runs that took turns have no places, and others have those of their starts', () => {
  expect(placesApart({ base: [at(1), at(4)], next: [at(2), at(3)] })).toBeNull();
  expect(placesApart({ base: [at(1), at(3)], next: [at(2), at(4)] })).toBeNull();
  expect(placesApart({ base: [at(9), at(1)], next: [at(20), at(30)] })).toEqual({
    base: [1, 0],
    next: [2, 3],
  });
  // Runs of one start share their place.
  expect(placesApart({ base: [at(1), at(1)], next: [at(5), at(5)] })).toEqual({
    base: [0.5, 0.5],
    next: [2.5, 2.5],
  });
});

it('a straight drift and a change are distinguished exactly', () => {
  const size = integer({ min: 2, max: 6 });
  const amount = double({ min: -3, max: 3, noNaN: true });
  assert(
    property(size, size, amount, amount, amount, (base, next, level, slope, change) => {
      const places = {
        base: Array.from({ length: base }, (_, place) => place),
        next: Array.from({ length: next }, (_, place) => base + place),
      };
      const found = remainingChange(
        {
          base: places.base.map((place) => level + slope * place),
          next: places.next.map((place) => level + slope * place + change),
        },
        places,
        1e-12,
      )!;
      expect(found.slope).toBeCloseTo(slope, 8);
      expect(found.difference).toBeCloseTo(change, 8);
      expect(found.p).toBeLessThanOrEqual(1);
    }),
  );
});

it('runs without a value at the end of a side move no other', () => {
  const places = { base: [0, 1, 2, 3], next: [4, 5, 6, 7] };
  assert(
    property(
      array(double({ min: 1, max: 9, noNaN: true }), { minLength: 6, maxLength: 6 }),
      (v) => {
        const values = { base: v.slice(0, 3), next: v.slice(3) };
        const part = { base: [0, 1, 2], next: [4, 5, 6] };
        expect(remainingChange(values, places, 1e-6)).toEqual(remainingChange(values, part, 1e-6));
      },
    ),
  );
  // Two levels and a slope leave nothing of three values.
  const few = { base: [0], next: [1, 2, 3] };
  expect(remainingChange({ base: [1], next: [2, 3] }, few, 1)).toBeNull();
  expect(remainingChange({ base: [1], next: [2, 3, 5] }, few, 1)).not.toBeNull();
});

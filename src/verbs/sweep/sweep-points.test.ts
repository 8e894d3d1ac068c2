import { assert, integer, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sweepOrder } from './sweep-points.ts';

const pointsOf = (order: ReturnType<typeof sweepOrder>) => order.map(({ point }) => point);

describe('the order of a sweep', () => {
  it('has every point once in each block of repetitions', () => {
    assert(
      property(
        integer({ min: 1, max: 30 }),
        integer({ min: 1, max: 5 }),
        integer({ min: 0 }),
        (points, repetitions, seed) => {
          const order = sweepOrder(points, repetitions, seed);
          for (let block = 0; block < repetitions; block += 1) {
            const slots = order.slice(block * points, (block + 1) * points);
            expect(new Set(slots.map(({ repetition }) => repetition))).toEqual(new Set([block]));
            expect(pointsOf(slots).toSorted((a, b) => a - b)).toEqual([
              ...Array.from({ length: points }).keys(),
            ]);
          }
        },
      ),
    );
  });

  it('is the same for a seed, another for another seed and in each block', () => {
    const [first, again, other] = [1, 1, 2].map((seed) => pointsOf(sweepOrder(20, 2, seed)));
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    expect(first!.slice(20)).not.toEqual(first!.slice(0, 20));
  });

  it('puts each point at each place about equally often', () => {
    const counts = Array.from({ length: 16 }, () => 0);
    for (let seed = 0; seed < 4000; seed += 1) {
      for (const [place, { point }] of sweepOrder(4, 1, seed).entries()) {
        counts[place * 4 + point]! += 1;
      }
    }
    // Binomial: 1,000 ± 27.4; five deviations.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(137);
  });
});

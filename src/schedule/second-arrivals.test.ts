import { describe, expect, it } from 'vitest';
import { instant } from '../model/quantity.ts';
import { withSecondArrivals } from './second-arrivals.ts';

const arrivals = [0, 10, 20, 30, 40].map((due, index) => ({ stage: 0, index, due: instant(due) }));

describe('the arrivals that come second', () => {
  it('are due later by the gap, and all stay in order', () => {
    const found = [...withSecondArrivals(arrivals, 25, ({ index }) => index % 2 === 1)];
    expect(found.map(({ index, due }) => [index, due])).toEqual([
      [0, 0],
      [2, 20],
      [1, 35],
      [4, 40],
      [3, 55],
    ]);
  });

  it('are every arrival or none, as is chosen', () => {
    expect([...withSecondArrivals(arrivals, 5, () => false)]).toEqual(arrivals);
    const all = [...withSecondArrivals(arrivals, 5, () => true)];
    expect(all.map(({ due }) => due)).toEqual([5, 15, 25, 35, 45]);
  });

  it('come before another arrival of the same instant, which began later', () => {
    const found = [...withSecondArrivals(arrivals, 10, ({ index }) => index === 1)];
    expect(found.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
  });
});

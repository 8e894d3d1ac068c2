import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../../model/workload/draw.ts';
import { changePoints } from './change-points.ts';
import { foundChanges } from './sample-series.fixture.ts';

describe('change points', () => {
  it('are found at each of several steps', () => {
    const changes = foundChanges(3, [
      [20, 1],
      [20, 1.4],
      [20, 0.9],
    ]);
    expect(changes.map(({ at }) => at)).toStrictEqual([20, 40]);
    expect(changes.every(({ p }) => p < 0.01)).toBe(true);
  });

  it('are not moved by one outlier', () => {
    expect(
      foundChanges(5, [
        [15, 1],
        [1, 3],
        [15, 1],
      ]),
    ).toStrictEqual([]);
  });

  it('need twelve runs with different values', () => {
    expect(
      foundChanges(1, [
        [8, 1],
        [3, 9],
      ]),
    ).toStrictEqual([]);
    expect(
      changePoints(
        Array.from({ length: 40 }, () => 0),
        drawFrom(1),
      ),
    ).toStrictEqual([]);
  });

  it('are the same for the same series', () => {
    const levels = [
      [15, 1],
      [15, 1.1],
    ] as const;
    expect(foundChanges(9, levels)).toStrictEqual(foundChanges(9, levels));
  });
});

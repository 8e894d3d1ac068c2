import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/draw.ts';
import { changePoints } from './change-points.ts';
import { found } from './sample-series.ts';

describe('change points', () => {
  it('find each of several steps where it is', () => {
    const changes = found(3, [
      [20, 1],
      [20, 1.4],
      [20, 0.9],
    ]);
    expect(changes.map(({ at }) => at)).toStrictEqual([20, 40]);
    expect(changes.every(({ p }) => p < 0.01)).toBe(true);
  });

  it('are not moved by one outlier', () => {
    expect(
      found(5, [
        [15, 1],
        [1, 3],
        [15, 1],
      ]),
    ).toStrictEqual([]);
  });

  it('need twelve runs, and values that differ', () => {
    expect(
      found(1, [
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
    expect(found(9, levels)).toStrictEqual(found(9, levels));
  });
});

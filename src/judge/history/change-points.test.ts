import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/draw.ts';
import { normalFrom } from '../../model/normal.ts';
import { changePoints } from './change-points.ts';

/** Logarithms of a figure with 5 % noise between runs; each level is so many runs at a factor. */
const series = (seed: number, levels: readonly (readonly [number, number])[]): number[] => {
  const draw = drawFrom(seed, 1);
  return levels.flatMap(([count, factor]) =>
    Array.from({ length: count }, () => Math.log(factor) + 0.05 * normalFrom(draw)),
  );
};

const found = (seed: number, levels: readonly (readonly [number, number])[]) =>
  changePoints(series(seed, levels), drawFrom(seed, 2));

/** The share of simulated series in which a change was found. */
const share = (count: number, levels: readonly (readonly [number, number])[]): number =>
  Array.from({ length: count }, (_, seed) => found(seed, levels)).filter(
    (changes) => changes.length > 0,
  ).length / count;

describe('change points', () => {
  it.each([12, 30])('are found in about one of a hundred steady series of %i runs', (runs) => {
    // Of 1,000 at 1 %, more than 18 come once in a hundred times.
    expect(share(1000, [[runs, 1]])).toBeLessThanOrEqual(0.018);
  });

  it('see a quarter more after four runs at the new level, nine times in ten', () => {
    expect(
      share(200, [
        [12, 1],
        [4, 1.25],
      ]),
    ).toBeGreaterThanOrEqual(0.9);
  });

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

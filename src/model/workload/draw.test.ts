import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { drawFrom, hashOf } from './draw.ts';

const words = fc.array(fc.nat(Number.MAX_SAFE_INTEGER), { minLength: 1, maxLength: 4 });
const firstOf = (...key: readonly number[]): number => drawFrom(...key).uniform();
const many = Array.from({ length: 20_000 }, (_, i) => i);

/** Pearson's statistic of values in [0, 1) over equally likely cells. */
const chiSquare = (values: readonly number[], cells: number): number => {
  const counts = Array.from({ length: cells }, () => 0);
  for (const value of values) counts[Math.floor(value * cells)]! += 1;
  const expected = values.length / cells;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
};
/** The 99.99 % point of χ² with 63 degrees of freedom. */
const improbable = 116;

const correlation = (a: readonly number[], b: readonly number[]): number =>
  (a.reduce((sum, x, i) => sum + (x - 0.5) * (b[i]! - 0.5), 0) / a.length) * 12;

describe('a draw', () => {
  it('is the same for the same words, in any order of draws', () => {
    fc.assert(
      fc.property(words, words, (key, other) => {
        const draw = drawFrom(...key);
        const first = [draw.uniform(), draw.uniform()];
        const again = drawFrom(...key);
        firstOf(...other);
        expect([again.uniform(), again.uniform()]).toEqual(first);
      }),
    );
  });

  it('is in [0, 1)', () => {
    fc.assert(
      fc.property(words, (key) => {
        const value = firstOf(...key);
        expect(value >= 0 && value < 1).toBe(true);
      }),
    );
  });

  it('never changes, so that plans of old runs send the same requests', () => {
    expect([firstOf(1), firstOf(1, 2), firstOf(1, 2, 3), firstOf(2 ** 40)]).toMatchInlineSnapshot(`
      [
        0.14397293784520027,
        0.664926419721763,
        0.5407339737686467,
        0.9419457049088948,
      ]
    `);
  });

  it('differs for similar words', () => {
    const keys = [
      [0],
      [0, 0],
      [0, 0, 0],
      [1],
      [0, 1],
      [1, 0],
      [2 ** 32],
      [1, 2 ** 32],
      [2 ** 32, 1],
    ];
    expect(new Set(keys.map((key) => firstOf(...key))).size).toBe(keys.length);
  });

  it.each([
    [
      'one sequence',
      () =>
        many.map(
          (
            (draw) => () =>
              draw.uniform()
          )(drawFrom(7)),
        ),
    ],
    ['the first numbers of neighbouring indices', () => many.map((i) => firstOf(7, 0, i))],
    ['the first numbers of neighbouring seeds', () => many.map((i) => firstOf(i, 0, 0))],
    ['the lower bits', () => many.map((i) => (firstOf(7, 0, i) * 2 ** 32) % 1)],
  ])('is uniform: %s', (_, values) => {
    expect(chiSquare(values(), 64)).toBeLessThan(improbable);
  });

  it('of one index is independent of the next', () => {
    const values = many.map((i) => firstOf(7, 0, i));
    const next = many.map((i) => firstOf(7, 0, i + 1));
    expect(Math.abs(correlation(values, next))).toBeLessThan(4 / Math.sqrt(many.length));
  });
});

describe('a pick', () => {
  const share = (choices: readonly string[], weight?: (choice: string) => number) => {
    const picked = many.map((i) => drawFrom(3, i).pick(choices, weight));
    return (choice: string) => picked.filter((each) => each === choice).length / many.length;
  };

  it('is uniform without weights', () => {
    const of = share(['a', 'b', 'c']);
    for (const choice of ['a', 'b', 'c']) expect(Math.abs(of(choice) - 1 / 3)).toBeLessThan(0.015);
  });

  it('follows the weights, and never picks an item of weight 0', () => {
    const of = share(
      ['never', 'rare', 'often'],
      (choice) => ({ never: 0, rare: 1, often: 9 })[choice]!,
    );
    expect(of('never')).toBe(0);
    expect(Math.abs(of('rare') - 0.1)).toBeLessThan(0.01);
  });

  it('from an empty list is a bug and throws', () => {
    expect(() => drawFrom(1).pick([])).toThrow(/at least one choice/);
  });
});

it('a hash never changes, so that the same requests of a run are sampled again', () => {
  expect(hashOf(1, 2, 3)).toBe(19_758_636);
  expect(hashOf(2 ** 40 + 1, 7, 2 ** 33)).toBe(29_174_079);
  expect(hashOf(1, 2 ** 52 + 5, 3)).toBe(1_905_537_856);
});

it('a draw whose rounding leaves no choice takes the last one that can be drawn', () => {
  const draw = Object.assign(drawFrom(1), { uniform: () => 1 });
  const weight = (n: number) => n;
  expect(draw.pick([3, 1, 0, 0], weight)).toBe(1);
  expect(draw.pick([0, 0], weight)).toBe(0);
  expect(() => draw.pick([])).toThrow('a draw needs at least one choice');
});

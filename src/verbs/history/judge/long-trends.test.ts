// @gate 1 s
import { describe, expect, it } from 'vitest';
import { foundChanges } from './sample-series.fixture.ts';
import { drawFrom } from '../../../model/workload/draw.ts';
import { storedRuns } from './sample-runs.fixture.ts';
import { trendsOf } from './trends.ts';

/** The share of simulated series in which a change was found. */
const share = (count: number, levels: readonly (readonly [number, number])[]): number =>
  Array.from({ length: count }, (_, seed) => foundChanges(seed, levels)).filter(
    (changes) => changes.length > 0,
  ).length / count;

describe('change points', () => {
  it.each([12, 30])('are found in about 1 % of steady series of %i runs', (runs) => {
    // Of 1,000 at 1 %, more than 18 come once in a hundred times.
    expect(share(1000, [[runs, 1]])).toBeLessThanOrEqual(0.018);
  });

  it('are found for 25 % more after four runs at the new level, in 90 % of series', () => {
    expect(
      share(200, [
        [12, 1],
        [4, 1.25],
      ]),
    ).toBeGreaterThanOrEqual(0.9);
  });
});

it('trends do not warn of a change below the minimum effect, however significant', () => {
  const [trend] = trendsOf([...storedRuns(30, 1), ...storedRuns(30, 1.05, 30)], (figure) =>
    drawFrom(1, figure),
  );
  expect(trend!.figures.flatMap(({ changes }) => changes)).toStrictEqual([]);
});

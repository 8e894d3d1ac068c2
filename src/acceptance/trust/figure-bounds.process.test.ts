import { beforeAll, expect, it, vi } from 'vitest';
import { comparedText, type ComparedFigure } from '../../bench/harness/true-figures.ts';
import { noNeighbour, stops } from '../../bench/bounds/neighbours.ts';
import { burst, streams } from '../../bench/bounds/compared-loads.ts';
import { compareRun, type ComparedRun } from '../../bench/bounds/compared-run.ts';

vi.setConfig({ testTimeout: 60_000, hookTimeout: 120_000 });

/** The reduced form of `npm run bench truth`: real runs, and the trace log of the gateway as the truth. */

const short = {
  ...streams,
  scenario: { ...streams.scenario, load: { kind: 'constant', rate: '20/s', duration: '3s' } },
};

const outside = ({ figures }: ComparedRun): readonly ComparedFigure[] =>
  figures.filter(({ isInside }) => !isInside);

const runs: ComparedRun[] = [];

beforeAll(async () => {
  for (const [load, neighbour] of [
    [short, noNeighbour],
    [short, stops(500, 500)],
    [burst, noNeighbour],
  ] as const) {
    const run = await compareRun(load, neighbour);
    if (run === null) throw new Error(`this machine does not allow ${neighbour.name}`);
    runs.push(run);
  }
});

it('at least 95 % of the figures have their true values inside the bounds that runs publish', () => {
  const figures = runs.flatMap((run) => run.figures);
  // Three measures by four percentiles.
  expect(figures).toHaveLength(runs.length * 12);
  const missed = runs.flatMap(outside);
  expect(missed.length / figures.length, missed.map(comparedText).join('\n')).toBeLessThan(0.05);
});

it('no figure of a run that counts as valid is off by more than its bound, even if the process was stopped for half a second several times', () => {
  const valid = runs.filter(({ trust }) => trust.level === 'valid');
  expect(valid.flatMap(outside).map(comparedText)).toEqual([]);
});

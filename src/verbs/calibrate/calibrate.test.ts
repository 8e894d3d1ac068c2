import { expect, it } from 'vitest';
import { calibrationGrid } from './calibrate.ts';

const usual = { quick: false, streams: null, rates: null, workers: null };

it('the grid of a calibration has each load over both transports, smallest first, and large ones with two workers', () => {
  const grid = calibrationGrid(usual);
  expect(grid).toHaveLength(12);
  expect(grid.map(({ streams, tokensPerSecond }) => streams * tokensPerSecond)).toEqual([
    2000, 2000, 5000, 5000, 10_000, 10_000, 20_000, 20_000, 20_000, 40_000, 40_000, 40_000,
  ]);
  expect(new Set(grid.map(({ transport }) => transport))).toEqual(new Set(['socket', 'undici']));
  expect(calibrationGrid({ ...usual, quick: true })).toHaveLength(5);
  expect(grid.filter(({ workers }) => workers === 2).map(({ streams }) => streams)).toEqual([
    1000, 2000,
  ]);
});

it('uses two workers from 20,000 tokens a second on, if nobody names their number', () => {
  const workersOf = (streams: number, workers: readonly number[] | null = null) =>
    calibrationGrid({ ...usual, streams: [streams], rates: [20], workers }).map(
      (load) => `${load.transport} ${load.workers}`,
    );
  expect(workersOf(999)).toEqual(['undici 1', 'socket 1']);
  expect(workersOf(1000)).toEqual(['undici 1', 'socket 1', 'socket 2']);
  expect(workersOf(1000, [1])).toEqual(['undici 1', 'socket 1']);
  expect(workersOf(10, [3, 2])).toEqual(['undici 3', 'undici 2', 'socket 3', 'socket 2']);
});

it('takes the usual value of what is not requested', () => {
  const loadsOf = (request: object) =>
    calibrationGrid({ ...usual, workers: [1], ...request })
      .filter(({ transport }) => transport === 'socket')
      .map(({ streams, tokensPerSecond }) => [streams, tokensPerSecond]);
  expect(loadsOf({})).toEqual([
    [100, 20],
    [100, 50],
    [500, 20],
    [1000, 20],
    [2000, 20],
  ]);
  expect(loadsOf({ quick: true })).toEqual([
    [100, 20],
    [1000, 20],
  ]);
  expect(loadsOf({ rates: [50] })).toEqual([
    [100, 50],
    [1000, 50],
  ]);
  expect(loadsOf({ streams: [7] })).toEqual([[7, 20]]);
  expect(loadsOf({ quick: true, streams: [7], rates: [3] })).toEqual([[7, 3]]);
});

it('takes the requested loads', () => {
  const grid = calibrationGrid({ ...usual, streams: [50, 10], rates: [20, 100], workers: [1] });
  expect(grid.filter(({ transport }) => transport === 'socket')).toEqual([
    { streams: 10, tokensPerSecond: 20, transport: 'socket', workers: 1 },
    { streams: 50, tokensPerSecond: 20, transport: 'socket', workers: 1 },
    { streams: 10, tokensPerSecond: 100, transport: 'socket', workers: 1 },
    { streams: 50, tokensPerSecond: 100, transport: 'socket', workers: 1 },
  ]);
});

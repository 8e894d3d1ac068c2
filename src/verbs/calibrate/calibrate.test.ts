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

it('takes the requested loads', () => {
  const grid = calibrationGrid({ ...usual, streams: [50, 10], rates: [20, 100], workers: [1] });
  expect(grid.filter(({ transport }) => transport === 'socket')).toEqual([
    { streams: 10, tokensPerSecond: 20, transport: 'socket', workers: 1 },
    { streams: 50, tokensPerSecond: 20, transport: 'socket', workers: 1 },
    { streams: 10, tokensPerSecond: 100, transport: 'socket', workers: 1 },
    { streams: 50, tokensPerSecond: 100, transport: 'socket', workers: 1 },
  ]);
});

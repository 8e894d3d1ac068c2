import { expect, it } from 'vitest';
import { calibrationGrid } from './calibration-grid.ts';

const usual = { quick: false, streams: undefined, rate: undefined };

it('the grid of a calibration has each load over both transports, from the smallest on', () => {
  const grid = calibrationGrid(usual);
  expect(grid).toHaveLength(12);
  expect(grid.map(({ streams, tokensPerSecond }) => streams * tokensPerSecond)).toEqual([
    ...[2000, 2000, 5000, 5000, 10_000, 10_000],
    ...[20_000, 20_000, 25_000, 25_000, 40_000, 40_000],
  ]);
  expect(new Set(grid.map(({ transport }) => transport))).toEqual(new Set(['socket', 'undici']));
  expect(calibrationGrid({ ...usual, quick: true })).toHaveLength(4);
});

it('takes the loads that are asked for, each once', () => {
  const grid = calibrationGrid({ ...usual, streams: '50,10,50', rate: '20,100' });
  expect(grid.filter(({ transport }) => transport === 'socket')).toEqual([
    { streams: 10, tokensPerSecond: 20, transport: 'socket' },
    { streams: 50, tokensPerSecond: 20, transport: 'socket' },
    { streams: 10, tokensPerSecond: 100, transport: 'socket' },
    { streams: 50, tokensPerSecond: 100, transport: 'socket' },
  ]);
});

it.each(['0', '1.5', 'many', '100,', '20001'])('says what it expected instead of %s', (streams) => {
  expect(() => calibrationGrid({ ...usual, streams })).toThrow(
    `--streams: expected whole numbers from 1 to 20000 with commas between them, got ${streams}`,
  );
});

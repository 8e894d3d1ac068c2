import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Calibration, CalibrationCell } from '../../model/series/calibration.ts';
import { neededSlices, sliceForecast } from './needed-slices.ts';

const error = { n: 1, p50: 0.1, p99: 0.2, max: 0.3 };

const cell = (changes: Partial<CalibrationCell>): CalibrationCell => ({
  streams: 100,
  tokensPerSecond: 10,
  transport: 'socket',
  workers: 1,
  answers: 100,
  trust: 'valid',
  complaints: [],
  errors: { ttft: error, gap: error, endToEnd: error },
  ...changes,
});

const calibrationOf = (...cells: readonly CalibrationCell[]): Calibration => ({
  format: 'calibration/1',
  weir: '0.1.0',
  calibratedAt: '2026-11-25T12:00:00.000Z',
  machine: { node: 'v24', platform: 'linux', cpu: 'x', cores: 2 },
  cells: [...cells],
});

const plan = { transport: 'socket', workers: 'auto' } as const;

it.each([
  ['is within one calibrated load', 100, 1000, 1],
  ['has too many streams', 101, 10, 2],
  ['has too many chunks', 10, 2001, 3],
  ['has more of both', 450, 2001, 5],
])('a load that %s needs as many slices as cover it', (_, streams, chunks, expected) => {
  const calibration = calibrationOf(
    cell({}),
    cell({ streams: 5000, tokensPerSecond: 50, trust: 'degraded' }),
  );
  expect(neededSlices(calibration, { streams, chunks }, plan)?.slices).toBe(expected);
});

it('of several calibrated loads that one is the measure which needs the fewest slices', () => {
  const many = cell({ streams: 1000, tokensPerSecond: 1 });
  const calibration = calibrationOf(
    cell({}),
    many,
    cell({ streams: 200, tokensPerSecond: 20, workers: 2 }),
  );
  expect(neededSlices(calibration, { streams: 1000, chunks: 1000 }, plan)).toMatchObject({
    slices: 1,
    basis: { streams: 1000 },
  });
  expect(neededSlices(calibration, { streams: 200, chunks: 4000 }, plan)).toMatchObject({
    slices: 1,
    basis: { workers: 2 },
  });
  expect(
    neededSlices(calibration, { streams: 200, chunks: 4000 }, { ...plan, workers: 1 })?.slices,
  ).toBe(4);
});

it('a degraded load is the measure where none was valid, and an invalid one never', () => {
  const degraded = calibrationOf(cell({ trust: 'degraded' }));
  expect(neededSlices(degraded, { streams: 150, chunks: 1 }, plan)).toMatchObject({
    slices: 2,
    basis: { isValid: false },
  });
  expect(
    neededSlices(calibrationOf(cell({ trust: 'invalid' })), { streams: 1, chunks: 1 }, plan),
  ).toBeNull();
  const undici = { ...plan, transport: 'undici' } as const;
  expect(neededSlices(calibrationOf(cell({})), { streams: 1, chunks: 1 }, undici)).toBeNull();
});

it('each of the slices is within the calibrated load, and one slice fewer is not', () => {
  const calibration = calibrationOf(cell({}));
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1e5 }),
      fc.integer({ min: 1, max: 1e6 }),
      (streams, chunks) => {
        const found = neededSlices(calibration, { streams, chunks }, plan)!;
        expect(found.streams).toBeLessThanOrEqual(100);
        expect(found.chunksPerSecond).toBeLessThanOrEqual(1000);
        if (found.slices === 1) return;
        const fewer = sliceForecast({ streams, chunks }, found.slices - 1, null);
        expect(fewer.streams > 100 || fewer.chunksPerSecond > 1000).toBe(true);
      },
    ),
  );
});

import { describe, expect, it } from 'vitest';
import type { Calibration, CalibrationCell } from '../../model/series/calibration.ts';
import { healthyResult, sampleJudgedSlice } from '../sample-result.fixture.ts';
import { calibratedFor, changedSince, fullestLoad } from './calibrated-for.ts';

const error = { n: 10, p50: 0.1, p99: 0.4, max: 1 };
const cell = (streams: number, differing: Partial<CalibrationCell> = {}): CalibrationCell => ({
  streams,
  tokensPerSecond: 20,
  transport: 'socket',
  workers: 1,
  answers: 10,
  trust: 'valid',
  complaints: [],
  errors: { ttft: error, gap: error, endToEnd: error },
  ...differing,
});
const calibration = (...cells: readonly CalibrationCell[]): Calibration => ({
  format: 'calibration/1',
  weir: '0.1.0',
  calibratedAt: '2026-11-21T10:00:00.000Z',
  machine: sampleJudgedSlice([]).machine,
  cells: [...cells],
});

const alone = { transport: 'socket', workers: 1 } as const;

describe('the calibrated load for a run', () => {
  const grid = calibration(cell(1000), cell(100), cell(500), cell(100, { transport: 'undici' }));

  it.each([
    [{ streams: 100, tokensPerSecond: 2000 }, 100],
    [{ streams: 101, tokensPerSecond: 200 }, 500],
    [{ streams: 40, tokensPerSecond: 2001 }, 500],
    [{ streams: 1000, tokensPerSecond: 20_000 }, 1000],
    [{ streams: 1001, tokensPerSecond: 20 }, undefined],
    [{ streams: 10, tokensPerSecond: 20_001 }, undefined],
  ])('is the smallest one that covers %j', (load, streams) => {
    expect(calibratedFor(grid, load, alone)?.streams).toBe(streams);
  });

  it('has the same transport and number of workers, and never an invalid generator', () => {
    const load = { streams: 200, tokensPerSecond: 2000 };
    expect(calibratedFor(grid, load, { ...alone, transport: 'undici' })).toBeNull();
    expect(calibratedFor(grid, load, { ...alone, workers: 2 })).toBeNull();
    const unfit = calibration(cell(500, { trust: 'invalid' }), cell(1000));
    expect(calibratedFor(unfit, load, alone)?.streams).toBe(1000);
  });
});

describe('the busiest second of a run', () => {
  it('includes what is already in flight when it begins', () => {
    const seconds = healthyResult().timeline.slice(0, 3);
    const timeline = seconds.map((second, i) => ({
      ...second,
      ...[
        { begun: 30, ended: 10, tokenEvents: 100 },
        { begun: 25, ended: 40, tokenEvents: 900 },
        { begun: 5, ended: 10, tokenEvents: 50 },
      ][i],
    }));
    expect(fullestLoad(healthyResult({ timeline }))).toEqual({ streams: 45, tokensPerSecond: 900 });
  });

  it('is absent without streamed tokens', () => {
    const timeline = healthyResult().timeline.map((second) => ({ ...second, tokenEvents: 0 }));
    expect(fullestLoad(healthyResult({ timeline }))).toBeNull();
  });
});

describe('a calibration is stale', () => {
  const { machine } = sampleJudgedSlice([]);
  it('if Weir, Node or the machine changed, and names the change', () => {
    const slices = [
      sampleJudgedSlice([], {
        machine: { ...machine, node: 'v99.0.0', platform: 'other', cores: 64 },
      }),
    ];
    expect(changedSince(calibration(), healthyResult({ slices, weir: '9.9.9' }))).toEqual([
      'Weir 0.1.0, now 9.9.9',
      `Node ${machine.node}, now v99.0.0`,
      `system ${machine.platform}, now other`,
      `CPU ${machine.cores} × ${machine.cpu}, now 64 × ${machine.cpu}`,
    ]);
  });

  it('only then', () => {
    expect(changedSince(calibration(), healthyResult({ weir: '0.1.0' }))).toEqual([]);
  });
});

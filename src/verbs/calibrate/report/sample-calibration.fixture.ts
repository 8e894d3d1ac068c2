import type { Calibration, CalibrationCell } from '../../../model/series/calibration.ts';

const errorOf = (p99: number) => ({ n: 1000, p50: p99 / 4, p99, max: p99 * 3 });

export const sampleCalibrationCell = (
  overrides: Partial<CalibrationCell> = {},
): CalibrationCell => ({
  streams: 500,
  tokensPerSecond: 20,
  transport: 'socket',
  workers: 1,
  answers: 1000,
  trust: 'valid',
  complaints: [],
  errors: { ttft: errorOf(0.4), gap: errorOf(0.52), endToEnd: errorOf(0.44) },
  ...overrides,
});

export const sampleCalibration = (overrides: Partial<Calibration> = {}): Calibration => ({
  format: 'calibration/1',
  weir: '0.1.0',
  calibratedAt: '2026-11-21T10:00:00.000Z',
  machine: { node: 'v24.21.0', platform: 'linux x64 6.1', cpu: 'Some CPU', cores: 2 },
  cells: [
    sampleCalibrationCell(),
    sampleCalibrationCell({ streams: 1000, trust: 'degraded', complaints: ['event loop'] }),
  ],
  ...overrides,
});

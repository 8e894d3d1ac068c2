import { join } from 'node:path';
import type { HistoryRun } from '../../model/series/history.ts';

/** Test support: a run whose result is in `folder`. Any field can be overridden. */
export const sampleHistoryRun = (
  folder: string,
  changes: Partial<HistoryRun> = {},
): HistoryRun => ({
  file: join(folder, 'reports', 'a', 'result.json'),
  planHash: 'a'.repeat(64),
  plan: "evening'; DROP TABLE run; --",
  target: 'mock',
  weir: '0.1.0',
  startedAt: '2026-07-01T10:20:30.000Z',
  trust: 'valid',
  verdicts: [{ text: 'ttft.p95 < 800ms', ruling: 'pass' }],
  figures: [
    {
      id: 'chat ttft.p50',
      label: 'TTFT p50',
      unit: 'ms',
      better: 'lower',
      scale: 'ratio',
      value: 202.5,
      effect: 0.1,
      floor: 5,
    },
  ],
  ...changes,
});

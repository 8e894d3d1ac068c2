import type { PolicyRecovery, RecoveryReport } from '../model/recovery-report.ts';

const phases = { from: 1000, peak: 31_000, gone: 41_000, until: 131_000 };

const counts = (due: number, good: number, late: number, attempts: number) => ({
  due,
  good,
  late,
  failed: due - good - late,
  attempts,
  p50: due === 605 ? 2410 : 96,
  p95: due === 601 ? 150 : null,
});

/** Returns the findings with one policy. `changes` overrides fields. */
export const samplePolicy = (changes: Partial<PolicyRecovery> = {}): PolicyRecovery => ({
  policy: 'none',
  state: 'back',
  reason: null,
  needs: null,
  phases,
  within: 450,
  after: 6000,
  resolution: 2000,
  base: counts(601, 590, 7, 1),
  overload: counts(605, 205, 300, 1.25),
  watched: counts(1803, 1700, 60, 1.5),
  named: 17,
  sentAtEnd: 20.4,
  windows: [
    { from: 1000, due: 41, good: 40, sent: 42, isBad: false },
    { from: 31_000, due: 121, good: 30, sent: 160, isBad: true },
    { from: 41_000, due: 39, good: 20, sent: 55, isBad: true },
  ],
  ...changes,
});

/** Returns the findings of an examination. `changes` overrides fields. */
export const sampleRecovery = (changes: Partial<RecoveryReport> = {}): RecoveryReport => ({
  format: 'recovery/1',
  weir: '0.1.0',
  name: 'recovery',
  target: 'https://host/v1',
  startedAt: '2026-07-01T10:20:30.000Z',
  took: 391_000,
  seed: 7,
  multiple: 3,
  rate: 20,
  retry: { attempts: 5, base: 250, cap: 4000, on: ['limited', 'broken'] },
  mostCompleted: 36.5,
  partial: null,
  policies: [
    samplePolicy(),
    samplePolicy({ policy: 'retry-after', after: 0, within: 450 }),
    samplePolicy({ policy: 'backoff', state: 'kept', after: null, sentAtEnd: 98.7 }),
  ],
  spent: { requests: 9876 },
  ...changes,
});

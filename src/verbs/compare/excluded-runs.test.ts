import { describe, expect, it } from 'vitest';
import { exclusionReason, excludedRunLines } from './excluded-runs.ts';

const lag = { signal: 'start lag', observed: 'p99 60 ms', expected: 'up to 2 ms', advice: null };
const trust = {
  level: 'invalid',
  evidence: [{ ...lag, decides: true, level: 'invalid' }],
  figures: [],
} as const;
const healthy = { level: 'valid', evidence: [], figures: [] } as const;

describe('a run of several', () => {
  it('does not count if it is INVALID, or nothing succeeded', () => {
    expect(exclusionReason({ trust, exit: 'invalid' })).toBe('INVALID (start lag: p99 60 ms)');
    expect(exclusionReason({ trust: healthy, exit: 'invalid' })).toBe('nothing succeeded');
    expect(exclusionReason({ trust: healthy, exit: 'objective' })).toBeNull();
  });

  it('is listed after the last run, with the reason and the consequence', () => {
    const runs = [{ folder: 'new/2', reason: 'nothing succeeded' }];
    expect(excludedRunLines([], { of: 5, isAllowed: false })).toEqual([]);
    expect(excludedRunLines(runs, { of: 5, isAllowed: false })).toEqual([
      '1 of 5 runs does not count, hence exit code 12:',
      '  new/2: nothing succeeded.',
    ]);
    expect(excludedRunLines(runs, { of: 5, isAllowed: true })[0]).toContain('--allow-different');
  });
});

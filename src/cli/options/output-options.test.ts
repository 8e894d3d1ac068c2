import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { extraReportsFrom, historyFrom, jobSummaryPath } from './output-options.ts';

afterEach(() => vi.unstubAllEnvs());

it('a job’s summary goes where GitHub says, if it says so', () => {
  vi.stubEnv('GITHUB_STEP_SUMMARY', '/tmp/job.md');
  expect(jobSummaryPath()).toBe('/tmp/job.md');
  expect(extraReportsFrom({ csv: 'a.csv' }, undefined)).toEqual({
    junit: undefined,
    csv: 'a.csv',
    bill: undefined,
    summary: undefined,
    jobSummary: '/tmp/job.md',
  });
  vi.stubEnv('GITHUB_STEP_SUMMARY', '');
  expect(jobSummaryPath()).toBeUndefined();
  vi.stubEnv('GITHUB_STEP_SUMMARY', undefined);
  expect(jobSummaryPath()).toBeUndefined();
});

it('each report needs a separate file, other than those that the run writes itself', () => {
  vi.stubEnv('GITHUB_STEP_SUMMARY', undefined);
  const paths = { junit: 'a', csv: 'b', bill: 'c', summary: 'd' };
  const observations = ['e', 'f'];
  expect(extraReportsFrom({ ...paths, observations, requests: 'g' }, 'out')).toEqual({
    ...paths,
    jobSummary: undefined,
  });
  expect(() => extraReportsFrom({ ...paths, observations: ['e', './e'] }, 'out')).toThrow(
    '--observations and --observations: expected two files, got ./e for both',
  );
  expect(() => extraReportsFrom({ ...paths, summary: './x/../c' }, 'out')).toThrow(
    '--bill and --summary: expected two files, got ./x/../c for both: give one another name',
  );
  for (const name of ['result.json', 'report.html', 'checkpoint.jsonl', 'capture.jsonl']) {
    const bill = join('out', name);
    expect(() => extraReportsFrom({ bill }, 'out')).toThrow(
      `--bill: the run writes ${bill} itself: give another name`,
    );
    // In another folder, or if the run writes no files, it is a name as any other.
    expect(extraReportsFrom({ bill }, 'other').bill).toBe(bill);
    expect(extraReportsFrom({ bill }, undefined).bill).toBe(bill);
  }
});

it('a run goes into the history, unless the option or the environment says otherwise', () => {
  vi.stubEnv('WEIR_HISTORY', '/tmp/mine.db');
  expect(historyFrom({ history: true })).toBe('/tmp/mine.db');
  expect(historyFrom({ history: false })).toBeNull();
  vi.stubEnv('WEIR_HISTORY', 'off');
  expect(historyFrom({ history: true })).toBeNull();
  vi.stubEnv('WEIR_HISTORY', '');
  expect(historyFrom({ history: true })).toBe(join('reports', 'history.db'));
});

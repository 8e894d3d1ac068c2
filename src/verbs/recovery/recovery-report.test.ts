import { expect, it } from 'vitest';
import { healthyResult } from '../../judge/sample-result.fixture.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { FinishedRun } from '../../run/run.ts';
import { recoveryReportSchema } from './model/recovery-report.ts';
import type { SeenRequest } from './model/seen-request.ts';
import { recoveryReportOf } from './recovery.ts';

const phases = { policy: 'none', from: 0, peak: 2000, gone: 3000, until: 5500 } as const;

/** A hundred requests a second, of which those of the overload fail after two attempts. */
const requests: readonly SeenRequest[] = Array.from({ length: 550 }, (_, index) => {
  const due = 10 * index;
  const isPeak = due >= 2000 && due < 3000;
  return {
    policy: 'none',
    due,
    ended: due + 20,
    came: isPeak ? Infinity : due + 20,
    attempts: Array.from({ length: isPeak ? 2 : 1 }, () => ({ sent: due, isAnswered: true })),
    named: 0,
  };
});

const terms = {
  policies: ['none'],
  times: 4,
  base: 2000,
  overload: 1000,
  watch: 2500,
  pause: 0,
} as const;

const reported = (level: 'valid' | 'invalid', within: number | null, retry = false) => {
  const result = {
    ...healthyResult({ scheduled: milliseconds(5500), ended: milliseconds(5600) }),
    partial: 'stopped by SIGINT while waiting',
  };
  const plan = samplePlan({
    name: 'storm',
    ...(retry
      ? {
          retry: {
            attempts: 5,
            base: milliseconds(250),
            cap: milliseconds(4000),
            on: ['limited'] as const,
          },
        }
      : {}),
  });
  const run = { result, trust: { level, evidence: [], figures: [] } } as unknown as FinishedRun;
  return {
    report: recoveryReportOf(run, requests, { plan, terms, phases: [phases], within }),
    result,
  };
};

it('the report has the plan, the run, the retries and what was sent', () => {
  const { report, result } = reported('valid', null);
  const { policies, weir, mostCompleted, ...rest } = recoveryReportSchema.parse(report);
  expect(rest).toEqual({
    format: 'recovery/1',
    name: 'storm',
    target: result.baseUrl,
    startedAt: result.startedAt,
    took: 5600,
    seed: 42,
    multiple: 4,
    rate: 3,
    retry: {
      attempts: 3,
      base: 500,
      cap: 8000,
      on: ['limited', 'server-error', 'connect', 'unanswered'],
    },
    partial: 'stopped by SIGINT while waiting',
    spent: { requests: 450 + 2 * 100 },
  });
  expect(weir).toMatch(/^\d/);
  // Of 200 requests in the first two seconds, the last two are answered 20 ms later.
  expect(mostCompleted).toBe(99);
  expect(policies).toMatchObject([{ policy: 'none', state: 'back', after: 0 }]);
});

it('the retries are those of the scenario, the time that of the option, and no load of a bad generator counts', () => {
  const { report } = reported('invalid', 450, true);
  expect(report.retry).toEqual({ attempts: 5, base: 250, cap: 4000, on: ['limited'] });
  expect(report.policies).toMatchObject([{ state: 'unknown', within: 450 }]);
  expect(reported('valid', null).report.policies[0]!.reason).toBeNull();
});

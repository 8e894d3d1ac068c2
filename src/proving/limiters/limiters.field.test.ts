// @long 172 s
// @alone: its figures need a machine on which nothing else runs
import { afterAll, beforeAll, describe, expect, it, type TestContext, vi } from 'vitest';
import type { LimitReport } from '../../verbs/limits/model/limit-report.ts';
import { writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { examineLimiter, type LimiterRow, rowOf, startOnce } from './examine-limiter.ts';
import { limiterTable } from './examine-limiters.ts';
import type { LimiterCase } from './limiter-case.ts';
import { casesOfContinuousIntegration, faultsOfContinuousIntegration } from './limiter-cases.ts';

// The first run installs the limiters.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 });

const terms = { limit: 20, window: 10_000, args: ['--explain'] };

// Beside a compiler a gateway answers as late as one that delays, and then no limit can be fitted.
beforeAll(async () => {
  await Promise.all(casesOfContinuousIntegration.map((limiter) => startOnce(limiter, terms)));
  await Promise.all(faultsOfContinuousIntegration.map((limiter) => startOnce(limiter, terms)));
});

const rows: LimiterRow[] = [];
afterAll(() => writeTable('limiters', limiterTable(rows)));

const examined = (
  limiter: LimiterCase,
  context: TestContext,
): Promise<{ readonly row: LimiterRow; readonly report: LimitReport }> =>
  orSkip(context, async () => {
    const found = await examineLimiter(limiter, terms);
    const row = rowOf(limiter, terms, found);
    rows.push(row);
    return { row, report: found.examination.report };
  });

/** By how much the next best class is more often wrong than the named one, by the decisions that are listed. */
const listedContrast = ({ explanation }: LimitReport): number | undefined =>
  explanation?.distinguishing.reduce(
    (more, { observed, named, rival }) =>
      more + Number(rival !== observed) - Number(named !== observed),
    0,
  );

/** What speaks against a limiter, by the checks. */
const accusations = ({ judgement }: LimitReport): string =>
  judgement.checks
    .filter(({ finding }) => finding === 'refuted')
    .map(({ id, observed }) => `${id}: ${observed}`)
    .join('; ');

describe.concurrent('weir limits, against limiters that others wrote', () => {
  it.for(casesOfContinuousIntegration)(
    'accuses $name of nothing, gives it no wrong name, explains the name, says how tokens are charged, and counts what its gateway counted',
    async (limiter, context) => {
      const { row, report } = await examined(limiter, context);
      const { best } = report.judgement.identification;
      const rival = report.explanation?.rival ?? best;
      expect(listedContrast(report)).toBe((rival?.wrong ?? 0) - (best?.wrong ?? 0));
      expect(row.counts.differences).toEqual([]);
      expect(row.requests).toBeGreaterThan(50);
      expect(row.verdict, `exit ${row.code}: ${accusations(report)}`).not.toBe('WRONG');
      expect(row.name, row.named ?? 'none of ours').not.toBe('WRONG');
      expect(row.charged).toContain(limiter.charges ?? '');
    },
  );

  it.for(faultsOfContinuousIntegration)(
    'exits with 14 for $name with a planted fault: $fault.what',
    async (limiter, context) => {
      const { row } = await examined(limiter, context);
      expect(row.code).toBe(14);
    },
  );
});

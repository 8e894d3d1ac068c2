import { afterAll, describe, expect, it, type TestContext, vi } from 'vitest';
import { writeTable } from '../harness/markdown-table.ts';
import { orSkip } from '../harness/or-skip.fixture.ts';
import { examineLimiter, type LimiterRow, rowOf } from './examine-limiter.ts';
import { limiterTable } from './examine-limiters.ts';
import type { LimiterCase } from './limiter-case.ts';
import { casesOfContinuousIntegration, faultsOfContinuousIntegration } from './limiter-cases.ts';

// The first run installs the limiters.
vi.setConfig({ testTimeout: 900_000 });

const terms = { limit: 20, window: 10_000, args: [] };

const rows: LimiterRow[] = [];
afterAll(() => writeTable('limiters', limiterTable(rows)));

const examined = (limiter: LimiterCase, context: TestContext): Promise<LimiterRow> =>
  orSkip(context, async () => {
    const row = rowOf(limiter, terms, await examineLimiter(limiter, terms));
    rows.push(row);
    return row;
  });

describe.concurrent('weir limits, against limiters that others wrote', () => {
  it.for(casesOfContinuousIntegration)(
    'accuses $name of nothing, gives it no wrong name, and counts what its gateway counted',
    async (limiter, context) => {
      const row = await examined(limiter, context);
      expect(row.counts.differences).toEqual([]);
      expect(row.requests).toBeGreaterThan(50);
      expect(row.verdict, `exit ${row.code}`).not.toBe('WRONG');
      expect(row.name, row.named ?? 'none of ours').not.toBe('WRONG');
    },
  );

  it.for(faultsOfContinuousIntegration)(
    'exits with 14 for $name with a planted fault: $fault.what',
    async (limiter, context) => {
      const row = await examined(limiter, context);
      expect(row.code).toBe(14);
    },
  );
});

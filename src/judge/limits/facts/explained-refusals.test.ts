import { describe, expect, it } from 'vitest';
import { loadDuration } from '../../../model/plan/plan.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { toLedgerEntry, toLedgerRow } from '../../../model/observation/ledger.ts';
import type { Group } from '../../../model/measures/counts.ts';
import { emptyOutcomeCounts } from '../../../model/measures/outcome-counts.ts';
import type { Result, SliceRun } from '../../../model/result/result.ts';
import { healthyResult } from '../../sample-result.fixture.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import { countExplained, ledgersOfOneClock, measuredRefusals } from './explained-refusals.ts';

const row: Result['ledger'][number]['rows'][number] = [
  1000,
  1050,
  200,
  60,
  59,
  null,
  null,
  1080,
  'chat',
  30,
  null,
  null,
  null,
  null,
];
const base = healthyResult();

const runOf = (...slices: readonly Partial<SliceRun>[]): Result => ({
  ...base,
  slices: slices.map((slice, index) => ({
    ...base.slices[0]!,
    index,
    count: slices.length,
    ...slice,
  })),
  ledger: [{ key: 'main', rows: [row], left: 0 }],
});

const entryOf = (result: Result) => {
  const ledgers = ledgersOfOneClock(result);
  return ledgers === null ? null : toLedgerEntry(ledgers[0]!.rows[0]!);
};

it('the ledger of one slice stays unchanged', () => {
  expect(entryOf(runOf({}))).toMatchObject({ sent: 1000, answered: 1050, ended: 1080 });
});

it('slices whose clocks a coordinator compared are judged together, with intervals widened by the largest uncertainty', () => {
  const result = runOf(
    { clockOffset: { offset: 1500, uncertainty: 0.4 } },
    { clockOffset: { offset: -3, uncertainty: 2 } },
  );
  expect(entryOf(result)).toMatchObject({ sent: 998, answered: 1052, ended: 1082, status: 200 });
});

it('slices are not judged if their clocks are unknown or one slice is missing', () => {
  const known = { clockOffset: { offset: 0, uncertainty: 1 } };
  expect(entryOf(runOf(known, {}))).toBeNull();
  expect(entryOf(runOf({ ...known, count: 3 }, { ...known, count: 3 }))).toBeNull();
});

it('a run of one process is not judged if a worker crashed; one slice of several is', () => {
  expect(entryOf(runOf({ count: 2, clock: 'main' }))).toBeNull();
  expect(entryOf(runOf({ count: 2, clock: undefined }))).not.toBeNull();
});

describe('a 429 of a limit of 60 requests a minute', () => {
  /** Whether a 429 at 31 s is explained after so many admitted chats in the half minute before. */
  const isExplained = (admitted: number): boolean => {
    const plan = samplePlan({
      warmUp: milliseconds(0),
      limits: { requestsPerMinute: 60, tokensPerMinute: null, limiter: null },
    });
    const entry = toLedgerEntry(row);
    const rows = Array.from({ length: admitted + 1 }, (_, i) => {
      const isLast = i === admitted;
      const sent = isLast ? 31_000 : 1000 + (i * 29_000) / admitted;
      const times = { sent, answered: sent + 50, ended: sent + 80 };
      return toLedgerRow({ ...entry, ...times, status: isLast ? 429 : 200 });
    });
    const result = { ...runOf({}), plan, ledger: [{ key: 'main', rows, left: 0 }] };
    return measuredRefusals(result)!.at(-1)!.isExplained;
  };

  it('is explained from 59 on, since the run asked for the models before, which some gateways count', () => {
    expect([58, 59, 60, 110].map(isExplained)).toEqual([false, true, true, true]);
  });

  it('is not explained if the gateway admitted more than any limiter of 60 does', () => {
    expect(isExplained(300)).toBe(false);
  });

  // A gateway of the package pyrate-limiter, which takes a place of 60 before it asks for tokens.
  it('is explained where requests that were refused for tokens may have counted, but not by those refused for requests', () => {
    const plan = samplePlan({
      warmUp: milliseconds(0),
      limits: { requestsPerMinute: 60, tokensPerMinute: 1000, limiter: null },
    });
    const isLastExplained = (unit: 'tokens' | 'requests'): boolean => {
      const entry = toLedgerEntry(row);
      const rows = Array.from({ length: 71 }, (_, i) => {
        const sent = 1000 + i * 400;
        const times = { sent, answered: sent + 50, ended: sent + 80 };
        if (i === 70) return toLedgerRow({ ...entry, ...times, status: 429, unit: 'requests' });
        // The first thirty are admitted.
        const refused = { status: 429, unit, tokens: null };
        return toLedgerRow({ ...entry, ...times, ...(i < 30 ? {} : refused) });
      });
      const result = { ...runOf({}), plan, ledger: [{ key: 'main', rows, left: 0 }] };
      return measuredRefusals(result)!.at(-1)!.isExplained;
    };
    expect(isLastExplained('tokens')).toBe(true);
    expect(isLastExplained('requests')).toBe(false);
  });
});

it('explained 429s count for the stage in which they were sent', () => {
  const [stage] = samplePlan().stages;
  const plan = samplePlan({
    warmUp: milliseconds(0),
    limits: { requestsPerMinute: 60, tokensPerMinute: null, limiter: null },
    stages: [
      { ...stage!, name: 'first' },
      { ...stage!, name: 'second' },
    ],
  });
  const begins = loadDuration(stage!.load);
  const entry = toLedgerEntry(row);
  const rows = Array.from({ length: 62 }, (_, i) => {
    const sent = begins - 30_500 + i * 500;
    const times = { sent, answered: sent + 50, ended: sent + 80 };
    return toLedgerRow({ ...entry, ...times, status: i >= 60 ? 429 : 200 });
  });
  const result = { ...runOf({}), plan, ledger: [{ key: 'main', rows, left: 0 }] };
  const group = {
    labels: { traffic: 'chat' },
    outcomes: { ...emptyOutcomeCounts(), limited: 9 },
  } as Group;
  const countIn = (stages: readonly string[] | null) =>
    countExplained(result, { traffic: null, model: null, key: null, stages } as never, [group]);
  expect([null, ['first'], ['second'], ['third']].map(countIn)).toEqual([2, 1, 1, 0]);
});

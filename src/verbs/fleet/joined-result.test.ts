import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result/result.ts';
import { sampleFacts } from '../../record/sample-facts.fixture.ts';
import { emptyTally, toResult } from '../../record/tally.ts';
import { joinedResult } from './joined-result.ts';
import { awaitedSlice, type SliceState } from './lead-run.ts';
import { workerRecord } from './memory-rendezvous.fixture.ts';

const partOf = (index: number, changes: Parameters<typeof sampleFacts>[1] = {}): Result =>
  toResult(emptyTally(samplePlan()), sampleFacts([{ index, count: 2 }], changes));

const heard = (index: number, more: Partial<SliceState> = {}): SliceState => ({
  ...awaitedSlice(index),
  record: workerRecord({
    host: `host-${index}`,
    clock: { offset: index, uncertainty: 0.25 },
  }),
  ...more,
});

const both = [heard(0), heard(1)];
const join = (
  parts: readonly (readonly [number, Result])[],
  slices: readonly SliceState[] = both,
  startedAt: number | null = 1000,
): Result | null => joinedResult(new Map(parts), slices, startedAt);

it('joins all slices, each with its host, its clock and what it is worth', () => {
  const joined = join([
    [1, partOf(1)],
    [0, partOf(0)],
  ]);
  expect(joined?.partial).toBeNull();
  expect(joined?.slices).toMatchObject(
    [0, 1].map((index) => ({
      index,
      host: `host-${index}`,
      clockOffset: { offset: index, uncertainty: 0.25 },
      trust: 'degraded',
    })),
  );
});

it('says of a slice that was lost when and why, and is incomplete', () => {
  const lost = heard(1, { lost: { at: 4500, why: 'no sign of life for 10 s' } });
  expect(join([[0, partOf(0)]], [heard(0), lost])?.partial).toContain(
    'slice 1/2 was lost after 3.5 s (no sign of life for 10 s)',
  );
  expect(join([[0, partOf(0)]], [heard(0), lost], null)?.partial).toContain(
    'slice 1/2 was lost (no sign',
  );
  expect(join([[0, partOf(0)]], [heard(0), lost], 9000)?.partial).toContain('was lost after 0 s (');
});

it('is incomplete if a slice is, also if another one was lost', () => {
  const lost = heard(1, { lost: { at: 4500, why: 'gone' } });
  const part = partOf(0, { partial: 'stopped by SIGINT' });
  const { partial } = join([[0, part]], [heard(0), lost])!;
  expect(partial).toMatch(/stopped by SIGINT.*; slice 1\/2 was lost after 3.5 s \(gone\)$/);
});

it('has no host or clock of a slice that never reported any', () => {
  const [slice] = join([[0, partOf(0)]], [awaitedSlice(0), heard(1)])!.slices;
  expect(slice).not.toHaveProperty('host');
  expect(slice).not.toHaveProperty('clockOffset');
});

it('is nothing if no slice has a result', () => {
  expect(join([])).toBeNull();
});

it('is refused if the slices are of different runs', () => {
  const other = partOf(1, { planHash: 'other', scheduled: milliseconds(1) });
  expect(() =>
    join([
      [0, partOf(0)],
      [1, other],
    ]),
  ).toThrow(/slice 1\/2/);
});

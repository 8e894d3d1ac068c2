import { describe, expect, it } from 'vitest';
import { owns } from '../model/workload/arrival.ts';
import { milliseconds } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { createIncrementalTally } from './incremental-tally.ts';
import { readCheckpoint } from './read-checkpoint.ts';
import { sampleFacts, sampleSliceRun } from './sample-facts.fixture.ts';
import { sampleObservation } from './sample-observations.fixture.ts';
import { emptyTally, recordObservation, toResult } from './tally.ts';

const count = 2;
const seen = Array.from({ length: 9 }, (_, index) => sampleObservation({ index }));
const facts = sampleFacts([0, 1].map((index) => ({ index, count })));

/** Returns the lines of a worker: its header, and two commits after their parts. */
const linesOf = (index: number): readonly string[] => {
  const { generator, ...slice } = sampleSliceRun({ index, count });
  const { weir, runId, planHash, plan } = facts;
  const tally = createIncrementalTally(samplePlan());
  const own = seen.filter((_, i) => owns({ index, count }, i));
  const cutAt = (until: number): readonly object[] => {
    const parts = tally.flush();
    const lines: object[] = [];
    let next = parts.next();
    for (; next.done !== true; next = parts.next()) lines.push({ slice: index, ...next.value });
    const ended = next.value;
    return [...lines, { slice: index, until, scheduled: until, ended, generator: [] }];
  };
  tally.record(own[0]!);
  const first = cutAt(5000);
  for (const observation of own.slice(1)) tally.record(observation);
  const header = { format: 'checkpoint/1', weir, runId, planHash, plan, slice, notes: ['both'] };
  const lines = [header, ...first, ...cutAt(10_000)];
  // Each worker's sample comes once, with its last commit.
  return lines.map((line, i) =>
    JSON.stringify(i === lines.length - 1 ? { ...line, generator } : line),
  );
};

/** Alternates the lines of two workers, as they write them. */
const zip = ([a, b]: readonly (readonly string[])[]): readonly string[] =>
  a!.flatMap((line, i) => [line, ...(b![i] === undefined ? [] : [b![i]])]);

const resultOf = (lines: readonly string[]) => {
  const read = readCheckpoint(lines);
  if (!read.ok) throw new Error(read.message);
  return read.result;
};

describe('a checkpoint of two workers', () => {
  const both = [linesOf(0), linesOf(1)];

  it('becomes the result of both, in any order of their lines', () => {
    const tally = emptyTally(samplePlan());
    for (const observation of seen) recordObservation(tally, observation);
    const partial = 'killed; the figures cover the first 10 s, up to the last checkpoint';
    const whole = toResult(tally, {
      ...facts,
      partial,
      notes: ['both'],
      gatewayCounters: null,
      scheduled: milliseconds(10_000),
    });
    expect(resultOf(zip(both))).toEqual(whole);
    expect(resultOf(zip(both.toReversed()))).toEqual(whole);
    expect(resultOf(both.flat())).toEqual(whole);
  });

  it('counts each worker up to its own last commit, and names the earlier instant', () => {
    const [a, b] = both as [readonly string[], readonly string[]];
    const result = resultOf([...a, ...b.slice(0, -1)]);
    expect(result.groups.reduce((sum, { outcomes }) => sum + outcomes.completed, 0)).toBe(5 + 1);
    expect(result.partial).toContain('the first 5 s, ');
    expect(result.slices.map(({ index }) => index)).toEqual([0, 1]);
  });

  it('has no slice of a worker without a commit', () => {
    const [a, b] = both as [readonly string[], readonly string[]];
    expect(resultOf([...a, b[0]!]).slices.map(({ index }) => index)).toEqual([0]);
  });

  it('was killed at once if its first line is cut off, and is of another version if more follow', () => {
    const [header = '', ...others] = linesOf(0);
    const messageOf = (...lines: readonly string[]): string | null => {
      const read = readCheckpoint(lines);
      return read.ok ? null : read.message;
    };
    const atOnce = 'is from a run that was killed in its first seconds, before anything was saved';
    expect(messageOf()).toBe(atOnce);
    expect(messageOf(header.slice(0, 30))).toBe(atOnce);
    expect(messageOf(header)).toBe(atOnce);
    const another = 'is not a checkpoint of this version of Weir';
    expect(messageOf(header.slice(0, 30), ...others)).toBe(another);
    expect(messageOf('{}')).toBe(another);
    expect(messageOf(header, ...others)).toBeNull();
    // Of several lines, the last may be cut off.
    expect(messageOf(header, ...others, '{"slice":')).toBeNull();
  });

  it('is invalid if a part belongs to a slice without a header', () => {
    const [a, b] = both as [readonly string[], readonly string[]];
    expect(readCheckpoint([...a, b[1]!])).toEqual({
      ok: false,
      message: 'contains a line that does not belong to a checkpoint',
    });
  });
});

// @gate 1 s
import { describe, expect, it } from 'vitest';
import { emptyHistogram } from './histogram.ts';
import { processes, uniformFrom } from './processes.fixture.ts';
import { endOfTransient, type MeasuredSecond, possibleEnds } from './transient.ts';

const perSecond = 20;

/** What a server does to the time of an answer that is due at an instant, in ms; infinite for one that fails. */
type Change = (due: number, took: number) => number;

/** Returns the seconds of a run of a process whose times a transient changes. */
const secondsOf = (
  name: string,
  { run, length, change = (_, took) => took }: { run: number; length: number; change?: Change },
): readonly MeasuredSecond[] => {
  const draw = uniformFrom(run * 7919 + 17);
  const seconds = Array.from({ length }, () => ({ samples: emptyHistogram(2), failed: 0 }));
  for (const [due, took] of processes[name]!.samples(draw, length * perSecond, perSecond)) {
    const second = seconds[Math.floor(due / 1000)];
    if (second === undefined) continue;
    const changed = change(due, took);
    if (changed === Number.POSITIVE_INFINITY) second.failed += 1;
    else second.samples.record(changed);
  }
  return seconds;
};

const length = 60;
const ends = possibleEnds(0, length / 2);

const endsOf = (name: string, runs: number, change?: Change) =>
  Array.from({ length: runs }, (_, run) =>
    endOfTransient([secondsOf(name, { run, length, ...(change && { change }) })], ends),
  );

it('a transient can end at growing lengths, from the first second to the last', () => {
  expect(possibleEnds(5, 15)).toEqual([5, 6, 7, 8, 9, 10, 11, 13, 15]);
  expect(possibleEnds(5, 5)).toEqual([5]);
});

describe('of 40 runs of a minute without a transient', () => {
  // Each row allows what a rule that is wrong in 2 % of independent and in 8 % of other runs exceeds in one case of 100.
  it.each([
    ['independent requests', 3],
    ['AR(1) of 0.8', 3],
    ['M/M/1 at 0.5', 8],
    ['M/M/1 at 0.8', 8],
    ['M/M/8 at 0.8', 8],
  ])('few are cut: %s', (name, most) => {
    const wrong = endsOf(name, 40).filter(({ second }) => second > 0);
    expect(wrong.length).toBeLessThanOrEqual(most);
  });
});

describe('a transient', () => {
  it.each([
    ['slow answers', (due: number, took: number) => (due < 10_000 ? took * 5 : took)],
    ['failures', (due: number, took: number) => (due < 10_000 ? Number.POSITIVE_INFINITY : took)],
    [
      'slow answers of a third',
      (due: number, took: number) => (due < 10_000 && Math.floor(due) % 3 === 0 ? took * 5 : took),
    ],
    ['fast answers', (due: number, took: number) => (due < 10_000 ? took / 5 : took)],
  ])('of 10 s is found at its end: %s', (_, change) => {
    const found = endsOf('independent requests', 10, change);
    for (const { second } of found) expect(second).toBeGreaterThanOrEqual(10);
    const atOnce = found.filter(({ second, isSteady }) => isSteady && second <= 13);
    expect(atOnce.length).toBeGreaterThanOrEqual(8);
  });

  it('that ends slowly is cut until little of it is left', () => {
    const decays: Change = (due, took) => took * (1 + 3 * Math.exp(-due / 5000));
    for (const { second } of endsOf('independent requests', 10, decays))
      expect(second).toBeGreaterThanOrEqual(9);
  });

  it('that lasts longer than half of the run has no end', () => {
    const decays: Change = (due, took) => took * (1 + 3 * Math.exp(-due / 60_000));
    const found = endsOf('independent requests', 10, decays);
    expect(found.filter(({ isSteady }) => !isSteady).length).toBeGreaterThanOrEqual(8);
    for (const { second, isSteady } of found) if (!isSteady) expect(second).toBe(ends.at(-1));
  });

  it('is also found in one of several measures, and nothing without any', () => {
    const cold: Change = (due, took) => (due < 10_000 ? took * 5 : took);
    const steady = secondsOf('independent requests', { run: 1, length });
    const changed = secondsOf('independent requests', { run: 2, length, change: cold });
    expect(endOfTransient([steady, changed], ends).second).toBeGreaterThanOrEqual(10);
    expect(endOfTransient([], ends)).toEqual({ second: 0, isSteady: true });
  });
});

// @long 2 s
import { describe, expect, it } from 'vitest';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import type { ComparisonVerdict } from '../../../model/series/compared-metric.ts';
import { verdictOn } from './one-against-one.fixture.ts';
import { sharesOfVerdicts } from './repeated-sides.fixture.ts';

// `false-alarms.test.ts` tries ten thousand pairs of each.
const pairs = 200;

type Side = ReturnType<typeof sampleSide>;

/** Returns a side whose runs started at these minutes, and of which so many requests of 240 were answered 429. */
const sideAt = (name: string, minutes: readonly number[], limited: readonly number[]): Side => {
  const repetitions = minutes.map((minute, i) => {
    const [run] = sampleSide(name, 1, { limited: limited[i]!, noise: 0 }).repetitions;
    const startedAt = new Date(Date.UTC(2026, 6, 1, 10, minute)).toISOString();
    return { ...run, result: { ...run.result, startedAt } };
  });
  return { name, repetitions: repetitions as unknown as Side['repetitions'] };
};

/** Returns the verdict on the share of 429s over ten runs in the order of the letters, `b` for the base. */
const verdictOnLimited = (order: string, limited: readonly number[]): ComparisonVerdict => {
  const side = (letter: string): Side => {
    const minutes = [...order].flatMap((each, i) => (each === letter ? [i] : []));
    return sideAt(
      letter,
      minutes,
      minutes.map((minute) => limited[minute]!),
    );
  };
  return verdictOn(side('b'), side('n'), ['limited']);
};

describe('repeated runs of an unchanged gateway that gets 3 % slower from run to run', () => {
  it.each([
    { noise: 0.02 },
    { noise: 0.05 },
    { noise: 0.05, isShared: false },
    { noise: 0.1, isShared: false },
    { noise: 0.05, isShared: false, runs: 8 },
    { noise: 0.05, isShared: false, walk: 0.03 },
  ])('are no regression where the base came first: %j', (cell) => {
    const { regression } = sharesOfVerdicts(pairs, { ...cell, drift: 0.03, isAlternating: false });
    expect(regression).toBeLessThanOrEqual(0.02);
  });

  it.each([0.02, 0.05])('are no regression in turns, at a noise of %s', (noise) => {
    const { regression } = sharesOfVerdicts(pairs, { noise, drift: 0.03 });
    expect(regression).toBeLessThanOrEqual(0.01);
  });

  it('decide nothing with three a side', () => {
    const three = { runs: 3, drift: 0.03, isAlternating: false };
    expect(sharesOfVerdicts(pairs, three).inconclusive).toBe(1);
  });
});

describe('a share of failures that grows from run to run', () => {
  const growing = [2, 8, 14, 20, 26, 32, 38, 44, 50, 56];
  it.each(['bbbbbnnnnn', 'bbbbnbnnnn'])('is no regression in the order %s', (order) => {
    expect(verdictOnLimited(order, growing)).toBe('inconclusive');
  });

  it('is a regression if it jumps with the new side', () => {
    const jumping = [2, 3, 2, 1, 2, 40, 41, 39, 40, 42];
    expect(verdictOnLimited('bbbbbnnnnn', jumping)).toBe('regression');
  });

  it('is no regression in turns', () => {
    expect(verdictOnLimited('bnnbbnnbbn', growing)).toBe('inconclusive');
  });
});

describe('one run against one', () => {
  it('is no regression by the noise between runs', () => {
    const one = { runs: 1, noise: 0.1, isShared: false, drift: 0.03, isAlternating: false };
    expect(sharesOfVerdicts(1000, one).regression).toBeLessThanOrEqual(0.02);
  });
});

describe('five runs against five', () => {
  it('are the same for an unchanged gateway, in most comparisons', () => {
    expect(sharesOfVerdicts(pairs, {}).same).toBeGreaterThanOrEqual(0.5);
    expect(sharesOfVerdicts(pairs, { noise: 0.02 }).same).toBeGreaterThanOrEqual(0.99);
  });

  it('are a regression in most comparisons in turns with 20 % more', () => {
    expect(sharesOfVerdicts(pairs, { factor: 1.2 }).regression).toBeGreaterThanOrEqual(0.8);
  });

  it('are a regression with 20 % more, base first, where runs differ by 2 %', () => {
    const slower = { factor: 1.2, noise: 0.02, isAlternating: false };
    expect(sharesOfVerdicts(pairs, slower).regression).toBeGreaterThanOrEqual(0.9);
  });
});

import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptySecond } from '../../model/measures/outcome-counts.ts';
import type { ObjectiveFigure } from '../../model/plan/objective.ts';
import { sampleObjective } from '../../model/plan/sample-objective.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { healthyResult, sampleGroup } from '../sample-result.fixture.ts';
import { standsWithoutStretch } from './longest-stretch.ts';

/** Seconds with twenty requests (`1`) or none (`0`), of which the objective wants ten. `longest-stretch.test.ts` has whole runs. */

const rate: ObjectiveFigure = { kind: 'rate', name: 'sentRate' };
const took = (time: number) => {
  const endToEnd = emptyHistogram(2);
  for (let i = 0; i < 20; i += 1) endToEnd.record(time);
  return { chat: { endToEnd: endToEnd.toJSON() } };
};
const latency = { 0: took(100), 1: took(1000) };

const stands = (
  pattern: string,
  isKept = true,
  figure: ObjectiveFigure = rate,
  bound = 10,
): boolean => {
  const timeline = [...pattern].map((digit, second) => ({
    ...emptySecond(second),
    due: 20,
    sent: 20 * Number(digit),
    latency: latency[digit as '0' | '1'],
  }));
  const scheduled = milliseconds(1000 * pattern.length);
  const result = healthyResult({ timeline, scheduled, groups: [sampleGroup(20)] });
  const objective = sampleObjective({ figure, comparison: '>=', bound });
  return standsWithoutStretch(result, objective, isKept);
};

const ones = (count: number): string => '1'.repeat(count);
const zeros = (count: number): string => '0'.repeat(count);

describe('a verdict without its longest stretch', () => {
  it.each([
    ['all seconds agree', ones(20), true],
    ['one of twenty contradicts at the end', ones(19) + zeros(1), true],
    ['two of twenty contradict at the end', ones(18) + zeros(2), false],
    ['four of twenty contradict at the beginning', zeros(4) + ones(16), true],
    ['five of twenty contradict at the beginning', zeros(5) + ones(15), false],
    ['most of the rest agrees', '1101'.repeat(5), true],
    ['the rest is even, but for the stretch', '10'.repeat(10), false],
    // Without the first of two stretches of six, ten of fourteen seconds contradict.
    ['the stretch is long', zeros(2) + ones(6) + zeros(4) + ones(6) + zeros(2), false],
    // Without the three seconds of the stretch, six of eleven agree.
    ['the stretch is short', '11011101101010', true],
  ])('stands or falls if %s', (_, pattern, expected) => {
    expect(stands(pattern)).toBe(expected);
  });

  it('that an objective is broken is asked in the same way', () => {
    expect(stands(zeros(12) + ones(8), false)).toBe(false);
    expect(stands(zeros(19) + ones(1), false)).toBe(true);
    // All seconds together show the other verdict.
    expect(stands(ones(12) + zeros(8), false)).toBe(true);
  });

  it('of a mean is asked of the times in each second', () => {
    const mean: ObjectiveFigure = { kind: 'measure', name: 'endToEnd', statistic: 'mean' };
    expect(stands(ones(12) + zeros(8), true, mean, 500)).toBe(false);
    expect(stands(ones(19) + zeros(1), true, mean, 500)).toBe(true);
    expect(stands(ones(12) + zeros(8), true, mean, 90)).toBe(true);
  });

  it('of a figure that no second shows stands', () => {
    const pattern = ones(12) + zeros(8);
    const others: readonly ObjectiveFigure[] = [
      { kind: 'count', name: 'sent' },
      { kind: 'server', name: 'queueDepth', statistic: 'max' },
      { kind: 'measure', name: 'endToEnd', statistic: 'max' },
    ];
    for (const figure of others) expect(stands(pattern, true, figure)).toBe(true);
  });
});

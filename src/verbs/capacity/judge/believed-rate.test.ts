import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import type { CapacityStep, EstimatedRange } from '../model/capacity.ts';
import { believedRate, isEvidence, isWithinError } from './believed-rate.ts';
import { lateStep, overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';

const believed = (
  steps: readonly CapacityStep[],
  forLatency = false,
  terms: Parameters<typeof sampleTerms>[0] = {},
): readonly number[] => {
  const { low, value, high } = believedRate(steps, sampleTerms(terms), forLatency);
  return [low, value, high].map((each) => Number(each.toPrecision(5)));
};

const growth = (value: number, half: number): EstimatedRange => ({
  value,
  low: value - half,
  high: value + half,
});
const doubt = (bound: 'concurrency' | 'latency') => ({
  verdict: 'undecided' as const,
  sure: false,
  breaches: [{ bound, text: 'in doubt' }],
});

describe('the evidence of a step', () => {
  it('exists unless the load generator was invalid or an objective had too few samples', () => {
    const verdicts = ['kept', 'broken', 'undecided', 'unfit'] as const;
    expect(verdicts.map((verdict) => isEvidence(sampleStep(1, { verdict })))).toEqual([
      true,
      true,
      false,
      false,
    ]);
    const { breaches } = doubt('concurrency');
    expect(verdicts.map((verdict) => isEvidence(sampleStep(1, { verdict, breaches })))).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  it('is within the error of measurement only if something else than growth leaves the step undecided', () => {
    expect(isWithinError(sampleStep(1, doubt('latency')))).toBe(true);
    expect(isWithinError(sampleStep(1, doubt('concurrency')))).toBe(false);
    expect(isWithinError(lateStep(1, true))).toBe(false);
    const both = [...doubt('concurrency').breaches, ...doubt('latency').breaches];
    expect(isWithinError(sampleStep(1, { ...doubt('latency'), breaches: both }))).toBe(true);
  });
});

describe('the belief about the highest rate by the flow', () => {
  const kept = [sampleStep(2), sampleStep(4)];

  it.each<readonly [string, readonly CapacityStep[]]>([
    ['only kept steps', kept],
    ['a surely kept one just below a full one', [...kept, overloadedStep(8, 5)]],
    [
      'an uncertain full one',
      [...kept, overloadedStep(8, 5, { growth: growth(0.375, 0.1), sure: false })],
    ],
    [
      'a full one whose throughput is more uncertain than its growth',
      [...kept, overloadedStep(8, 5, { spread: 0.1, sure: false })],
    ],
    ['steps that disagree', [...kept, overloadedStep(8, 5), overloadedStep(8, 7), sampleStep(6)]],
    [
      'steps that shrink',
      [sampleStep(4, { growth: growth(-0.03, 0.02) }), overloadedStep(8, 5, { sure: false })],
    ],
    [
      'an undecided one',
      [...kept, sampleStep(6, { ...doubt('concurrency'), growth: growth(0.05, 0.06) })],
    ],
    [
      'steps that say nothing',
      [
        ...kept,
        overloadedStep(8, 5),
        sampleStep(3, { verdict: 'unfit', growth: growth(0.9, 0.01) }),
      ],
    ],
    [
      'one that grew far more than its neighbours',
      [...kept, sampleStep(5), overloadedStep(4.5, 2, { sure: false })],
    ],
  ])('with %s', (_, steps) => {
    expect(believed(steps)).toMatchSnapshot();
  });

  it('reaches from a 64th of the lowest rate to the highest allowed one', () => {
    expect(
      believed([sampleStep(4, { growth: growth(0, 50) })], false, { start: perSecond(2) }),
    ).toMatchSnapshot('kept');
    // A broken step ends it at twice its rate, and the highest rate allowed at half more.
    const open = overloadedStep(8, 5, { growth: growth(0.375, 50), sure: false, spread: 9 });
    expect(believed([open])).toMatchSnapshot('broken');
    expect(believed([open], false, { top: perSecond(9) })).toMatchSnapshot('near the highest');
  });
});

it('the belief counts verdicts only where latency is asked for', () => {
  const steps = [lateStep(4, false), lateStep(8, true)];
  expect(believed(steps)[1]).not.toBe(believed(steps, true)[1]);
});

describe('the belief about the highest rate by verdicts', () => {
  const quiet = (step: CapacityStep): CapacityStep => ({ ...step, growth: growth(0, 0.001) });
  const known = (rate: number, share: number): CapacityStep =>
    sampleStep(rate, { misses: [{ share, allowed: 0.05, arrivals: 2000, cases: 2000 }] });
  const unsure = (step: CapacityStep): CapacityStep => ({ ...step, sure: false });

  it.each<readonly [string, readonly CapacityStep[]]>([
    ['that are sure', [lateStep(4, false), lateStep(8, true)]],
    ['of which the broken one is unsure', [lateStep(4, false), unsure(lateStep(8, true))]],
    ['of which the kept one is unsure', [unsure(lateStep(4, false)), lateStep(8, true)]],
    ['near each other', [lateStep(7.8, false), lateStep(8, true), lateStep(7.9, false)]],
    [
      'of which one is in doubt by its error',
      [lateStep(4, false), sampleStep(6, doubt('latency')), lateStep(8, true)],
    ],
    ['beside shares that are known', [lateStep(4, false), known(6, 0.04), lateStep(8, true)]],
    [
      'beside shares of which one is unknown',
      [lateStep(4, false), { ...known(6, 0.04), misses: [null] }, lateStep(8, true)],
    ],
  ])('%s', (_, steps) => {
    expect(believed(steps.map(quiet), true)).toMatchSnapshot();
  });
});

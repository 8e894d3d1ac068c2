import { expect, describe, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import type { CapacityStep } from '../model/capacity.ts';
import { believedRate } from './believed-rate.ts';
import { lateStep, overloadedStep, sampleTerms } from './sample-steps.fixture.ts';

const believed = (steps: readonly CapacityStep[]): readonly number[] => {
  const { low, value, high } = believedRate(steps, sampleTerms({ start: perSecond(10) }), true);
  return [low, value, high].map((each) => Number(each.toPrecision(5)));
};

/** A step of 2000 arrivals of which this share missed the objective, which allows 5 %. */
const missing = (
  rate: number,
  share: number,
  changes: {
    readonly arrivals?: number;
    readonly cases?: number;
    readonly error?: { readonly low: number; readonly high: number };
  } = {},
): CapacityStep => {
  const { arrivals = 2000 } = changes;
  const miss = { share, allowed: 0.05, arrivals, cases: arrivals, ...changes };
  return { ...lateStep(rate, share > 0.05), arrivals, misses: [miss] };
};

describe('the belief about the highest rate by the shares that miss', () => {
  const far = [missing(10, 0), missing(20, 0.3)];
  const near = [missing(14, 0.03), missing(15, 0.05), missing(16, 0.09)];

  it.each<readonly [string, readonly CapacityStep[]]>([
    ['two far steps', far],
    [
      'two far steps with few independent cases',
      far.map(({ rate, misses }) => missing(rate, misses![0]!.share, { cases: 40 })),
    ],
    ['steps near the border', near],
    ['steps near the border and far from it', [...near, ...far, missing(15, 0.06)]],
    [
      'near steps that depend on each other',
      [...near, missing(15, 0.2), missing(15, 0), missing(15.2, 0.12)],
    ],
    ['near steps of which one misses all', [...near, missing(16.1, 1, { cases: 20 })]],
    [
      'near steps far beyond the allowed odds',
      [...near, missing(16.1, 0.5), missing(16.2, 0.45, { cases: 300 })],
    ],
    [
      'near steps that none missed',
      [missing(14, 0), missing(14.5, 0), missing(15, 0), overloadedStep(16, 15)],
    ],
    [
      'steps within an error of measurement',
      [
        missing(14, 0.03, { error: { low: 0.01, high: 0.06 } }),
        missing(15, 0.06, { error: { low: 0.03, high: 0.2 } }),
        missing(16, 0.09),
      ],
    ],
    [
      'jams as long as steps',
      [missing(10, 0.1), missing(10.3, 0), missing(10.6, 0.2), missing(20, 0), missing(40, 0.3)],
    ],
    [
      'steps that only their mean rate divides',
      [
        missing(10, 0.2, { arrivals: 300 }),
        missing(13, 0),
        missing(13.5, 0.3),
        missing(12.8, 0),
        missing(17, 0),
      ],
    ],
    [
      'steps of which most miss',
      [missing(10, 0.06), missing(10.2, 0.02, { arrivals: 500 }), missing(10.8, 0.2)],
    ],
    [
      'an objective that was not missed, beside one that was',
      [
        missing(10, 0),
        {
          ...missing(20, 0.01),
          verdict: 'broken',
          misses: [
            { share: 0.01, allowed: 0.05, arrivals: 600, cases: 600 },
            { share: 0.2, allowed: 0.1, arrivals: 600, cases: 300 },
          ],
        },
      ],
    ],
  ])('of %s', (_, steps) => {
    expect(believed(steps)).toMatchSnapshot();
  });
});

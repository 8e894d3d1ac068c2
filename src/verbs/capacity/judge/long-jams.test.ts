import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import type { CapacityStep } from '../model/capacity.ts';
import { believedRate } from './believed-rate.ts';
import { nextStep } from './next-step.ts';
import { overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';

/** Where jams last as long as steps, single steps mislead, and shares are weak evidence. */

const terms = sampleTerms({ forLatency: true, precision: 0.1 });

/** A step in which a share of the answers came too late; jams leave few independent ones. */
const lateBy = (rate: number, share: number, cases: number, arrivals = 2000): CapacityStep =>
  sampleStep(rate, {
    arrivals,
    completed: arrivals,
    verdict: share > 0.05 ? 'broken' : 'kept',
    sure: share > 0.08,
    misses: [{ share, allowed: 0.05, arrivals, cases }],
    breaches:
      share > 0.05 ? [{ bound: 'latency', text: 'goodput 90 %; expected at least 95 %' }] : [],
  });

/** The steps of a search on eight servers that keep 95 % within the bound up to 68.4/s. */
const climb = [
  lateBy(5.5, 0.045, 4, 22),
  lateBy(11, 0.03, 3, 33),
  lateBy(21.7, 0.015, 3, 65),
  lateBy(34.3, 0.019, 3, 103),
  lateBy(70.7, 0.009, 3, 212),
  overloadedStep(148, 76.7, {
    arrivals: 445,
    misses: [{ share: 1, allowed: 0.05, arrivals: 445, cases: 3 }],
  }),
];
const border = (
  [
    [72.45, 0.032, 94],
    [76.48, 0.116, 33],
    [71.3, 0.057, 40],
    [69.86, 0.09, 35],
    [72.33, 0.084, 51],
    [75.22, 0.214, 17],
    [75.69, 0.38, 20],
    [72.72, 0.05, 58],
    [75.45, 0.249, 13],
    [74.17, 0.041, 113],
    [72.56, 0.081, 85],
    [72.15, 0.08, 45],
  ] as const
).map(([rate, share, cases]) => lateBy(rate, share, cases));

describe('a search where jams last as long as its steps', () => {
  it('believes in a rate near its steps, though their sides leave nearly all lower ones open', () => {
    const { value, low, high } = believedRate([...climb, ...border], terms, true);
    expect(value).toBeGreaterThan(60);
    expect(value).toBeLessThan(76);
    expect(low).toBeGreaterThan(45);
    expect(high).toBeLessThan(80);
  });

  it('goes below many steps that broke, though one above them was kept', () => {
    const steps = [
      ...climb.filter(({ rate }) => rate !== 70.7),
      ...[70.96, 72, 73.5, 74].map((rate) => lateBy(rate, 0.2, 10)),
      lateBy(74.6, 0.037, 139),
    ];
    expect(nextStep(steps, terms)!.rate).toBeLessThan(70.96);
  });

  it('climbs on where a longer step was kept at the rate that broke a quick one, as far as random arrivals have one', () => {
    const quick = lateBy(1.88, 0.267, 7, 15);
    const longer = lateBy(1.76, 0.017, 31, 58);
    const { rate } = nextStep([lateBy(1, 0, 14, 15), quick, longer], {
      ...terms,
      top: perSecond(100),
    })!;
    expect(rate).toBeGreaterThan(3);
  });
});

// @gate 1 s
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { judgeCapacity } from './judge-capacity.ts';
import { overloadedStep, sampleStep, sampleTerms } from './sample-steps.fixture.ts';
import type { CapacityStep } from '../model/capacity.ts';
import { mostSeen } from './seen-throughput.ts';

const answerOf = (steps: readonly CapacityStep[], forLatency = false) =>
  judgeCapacity(steps, sampleTerms(), forLatency)!.rate;

describe('the highest rate and what the server was seen to do', () => {
  const spread = 0.022;
  const full = (rate: number, throughput = 59.3, others: Partial<CapacityStep> = {}) =>
    overloadedStep(rate, throughput, { spread, ...others });

  it('is not above what full steps completed, though a step just below was kept', () => {
    const steps = [sampleStep(53.5), sampleStep(58.5), full(62), full(60.9), sampleStep(57.9)];
    const { value, low, high } = answerOf(steps);
    expect(value).toBeLessThanOrEqual(59.3);
    expect(value).toBeGreaterThan(58.5);
    expect(low).toBeLessThan(58.8);
    // Two steps with an error of 2.2 % each.
    expect(high).toBeLessThan(59.3 * 1.03);
  });

  it('has an interval that ends there where requests end without an answer', () => {
    // Of 48 a second 42.7 are answered and half of the others time out, so that fewer than 5.3 stay in flight.
    const late = overloadedStep(48, 42.7, {
      spread,
      growth: { value: 0.05, low: 0.03, high: 0.07 },
    });
    const { value, high } = answerOf([sampleStep(38), late, late]);
    expect(value).toBeLessThanOrEqual(42.7);
    expect(high).toBeLessThan(42.7 * 1.04);
  });

  it('counts what completed only against what completes where the objectives are kept', () => {
    // One of ten always fails, which the objectives allow: the server ends 45 a second, 40.5 of them well.
    const steps = [
      sampleStep(40, { throughput: 36, completed: 1080 }),
      ...[50, 55].map((rate) => {
        const value = 1 - 45 / rate;
        return full(rate, 40.5, { growth: { value, low: value - 0.02, high: value + 0.02 } });
      }),
    ];
    expect(answerOf(steps).value).toBeGreaterThan(43.5);
    expect(answerOf(steps).value).toBeLessThanOrEqual(45.001);
  });

  it('is not pulled down by a server that collapses under overload', () => {
    const steps = [sampleStep(70), sampleStep(78), full(160, 40), full(90, 60), full(82, 79)];
    expect(answerOf(steps).value).toBeGreaterThanOrEqual(78);
    expect(answerOf(steps).value).toBeLessThanOrEqual(79);
  });
});

/** The steps of a server that completes so many a second, each with its own error. */
const stepsArbitrary = fc
  .record({
    most: fc.double({ min: 5, max: 500, noNaN: true }),
    collapse: fc.double({ min: 0, max: 0.5, noNaN: true }),
    loads: fc.array(
      fc.record({
        load: fc.double({ min: 0.2, max: 2, noNaN: true }),
        noise: fc.double({ min: -0.05, max: 0.05, noNaN: true }),
        spread: fc.double({ min: 0.002, max: 0.06, noNaN: true }),
        isSure: fc.boolean(),
      }),
      { minLength: 1, maxLength: 14 },
    ),
  })
  .map(({ most, collapse, loads }) =>
    [{ load: 0.3, noise: 0, spread: 0.02, isSure: true }, ...loads].map(
      ({ load, noise, spread, isSure }) => {
        const rate = most * load;
        const beyond = Math.max(0, load - 1);
        const throughput = Math.min(rate, most * (1 - collapse * beyond) * (1 + noise));
        const growth = (rate - throughput) / rate;
        if (growth > 0.04) return overloadedStep(rate, throughput, { spread });
        const doubt = { value: growth, low: growth - 0.03, high: growth + 0.03 };
        const seen = { throughput, spread, growth: doubt };
        return isSure
          ? sampleStep(rate, seen)
          : sampleStep(rate, {
              ...seen,
              verdict: 'undecided',
              sure: false,
              breaches: [{ bound: 'concurrency', text: 'requests in flight grew' }],
            });
      },
    ),
  );

it('a step in which nothing completed says nothing of the most that was seen', () => {
  const steps = [overloadedStep(20, 0), overloadedStep(10, 8)];
  const seen = mostSeen(steps);
  expect(Object.values(seen ?? {}).every(Number.isFinite), JSON.stringify(seen)).toBe(true);
});

it('no answer or interval is above what the server completed when it was full, or where it kept up', () => {
  fc.assert(
    fc.property(stepsArbitrary, fc.boolean(), (steps, forLatency) => {
      const broken = steps.filter(({ verdict }) => verdict === 'broken');
      fc.pre(broken.length > 0);
      const full = Math.min(...broken.map(({ rate }) => rate));
      const seen = steps.filter(({ rate, verdict }) => rate >= full || verdict === 'kept');
      const most = Math.max(...seen.map(({ throughput }) => throughput));
      const mostWithError = Math.max(
        ...seen.map(({ throughput, spread }) => throughput * (1 + 1.9 * Math.max(0.005, spread))),
      );
      const { value, low, high } = answerOf(steps, forLatency);
      expect(value).toBeLessThanOrEqual(most * 1.000001);
      expect(high).toBeLessThanOrEqual(mostWithError);
      expect(low).toBeLessThanOrEqual(value);
      expect(value).toBeLessThanOrEqual(high);
    }),
  );
});

import { describe, expect, it } from 'vitest';
import { perSecond } from '../../../model/quantity.ts';
import { judgeCapacity } from './judge-capacity.ts';
import { nextStep } from './next-step.ts';
import { overloadedStep, sampleStep, sampleTerms, searchWith } from './sample-steps.fixture.ts';

describe('the search for the highest rate', () => {
  it('doubles the rate until a step fails, up to the highest allowed rate', () => {
    const steps = searchWith(sampleTerms({ top: perSecond(10) }), (rate) => sampleStep(rate));
    expect(steps.map(({ rate }) => rate)).toEqual([1, 2, 4, 8, 10]);
  });

  it('never exceeds the declared limits of requests and of tokens', () => {
    const requests = searchWith(sampleTerms({ requestsPerMinute: 180 }), (rate) =>
      sampleStep(rate),
    );
    expect(Math.max(...requests.map(({ rate }) => rate))).toBe(3);
    // 300 tokens a request: 18,000 a minute are one request a second for each of two keys.
    const tokens = searchWith(sampleTerms({ tokensPerMinute: 18_000, keys: 2 }), (rate) =>
      sampleStep(rate),
    );
    expect(Math.max(...tokens.map(({ rate }) => rate))).toBe(2);
  });

  it('repeats a step whose generator was invalid, and ignores its result', () => {
    const terms = sampleTerms();
    const unfit = sampleStep(1, { verdict: 'unfit' });
    expect(nextStep([unfit], terms)).toEqual(nextStep([], terms));
    expect(judgeCapacity([unfit], terms, false)).toBeNull();
  });

  it('takes the throughput of a steady overload for the highest rate', () => {
    const terms = sampleTerms();
    // Halving would go to the middle of 8 and 16 first, which is 11.3.
    const steps = [sampleStep(8), overloadedStep(16, 13)];
    expect(nextStep(steps, terms)?.rate).toBeCloseTo(13, 0);
    expect(judgeCapacity(steps, terms, false)?.rate.value).toBeCloseTo(13, 0);
    // Where latency is asked for, overload only bounds it.
    const bounded = judgeCapacity(steps, sampleTerms({ forLatency: true }), true);
    expect(bounded?.rate.value).toBeLessThan(11);
  });

  it('continues from the rates that quick steps reached, although those steps show no shares', () => {
    const unsure = { value: 0, low: -0.3, high: 0.3 };
    const misses = [{ share: 0, allowed: 0.05, arrivals: 45, cases: 3 }];
    const climbed = [
      ...[1, 2, 4, 8, 16, 32].map((rate) =>
        sampleStep(rate, { sure: false, growth: unsure, misses }),
      ),
      overloadedStep(64, 49.3, { spread: 0.08, misses }),
    ];
    // Just beyond what was completed, so that the next step is full, too.
    expect(nextStep(climbed, sampleTerms())?.rate).toBeCloseTo(49.3 * 1.08, 5);
    const forLatency = nextStep(climbed, sampleTerms({ forLatency: true }));
    expect(forLatency?.rate).toBeCloseTo(Math.sqrt(32 * 49.3), 5);
    // Far from the answer, a step is shorter than near it.
    expect(forLatency!.seconds * forLatency!.rate).toBeLessThan(1700);
  });

  it('takes a quick step again with more arrivals if a few of them broke it, and climbs on if that is kept', () => {
    const terms = sampleTerms({ forLatency: true });
    const missed = (share: number, arrivals: number) => ({
      arrivals,
      misses: [{ share, allowed: 0.05, arrivals, cases: arrivals }],
    });
    const broken = sampleStep(1, {
      ...missed(2 / 11, 11),
      verdict: 'broken',
      breaches: [{ bound: 'latency', text: 'goodput 81.8 %' }],
    });
    const again = nextStep([broken], terms)!;
    expect(again.rate).toBe(1);
    expect((again.seconds - again.warmUp) * again.rate).toBeGreaterThan(50);
    const kept = sampleStep(1, { ...missed(1 / 60, 60), sure: false });
    expect(nextStep([broken, kept], terms)!.rate).toBe(2);
    const confirmed = { ...broken, ...missed(0.2, 60) };
    expect(nextStep([broken, confirmed], terms)!.rate).toBeLessThan(1);
  });

  it('climbs on where a quick step broke by chance, and a longer one was surely kept there', () => {
    const unlucky = sampleStep(8, {
      arrivals: 29,
      verdict: 'broken',
      breaches: [{ bound: 'latency', text: 'goodput 86.2 %' }],
    });
    const steps = [sampleStep(4), unlucky];
    const terms = sampleTerms({ forLatency: true });
    expect(nextStep(steps, terms)!.rate).toBeLessThan(8);
    expect(nextStep([...steps, sampleStep(7.95, { arrivals: 2000 })], terms)?.rate).toBe(16);
  });

  it('holds each step long enough for slow answers', () => {
    const slow = sampleStep(1, { latency: { mean: 9000, p50: 9000, p95: 9500 } });
    expect(nextStep([slow], sampleTerms())?.seconds).toBe(90);
  });

  it('takes a step again at twice the length if its growth is uncertain after enough arrivals, three times', () => {
    const uncertain = (arrivals: number) =>
      sampleStep(8, {
        arrivals,
        sure: false,
        verdict: 'undecided',
        growth: { value: 0.02, low: -0.02, high: 0.06 },
        breaches: [{ bound: 'concurrency', text: 'requests in flight grew' }],
      });
    const lengthAfter = (...steps: readonly ReturnType<typeof sampleStep>[]) => {
      const next = nextStep([sampleStep(4), overloadedStep(16, 9), ...steps], sampleTerms());
      return [next?.rate, next?.seconds];
    };
    // Its load lasted a minute. Nine tenths of 1,540 arrivals are enough; else the search goes on to a step near the border.
    expect(lengthAfter(uncertain(1386))).toEqual([8, 120]);
    expect(lengthAfter(uncertain(1385))).toEqual([8.73, 246]);
    const thrice = [uncertain(1600), uncertain(1600), uncertain(1600)];
    expect(lengthAfter(...thrice)).toEqual([8, 120]);
    expect(lengthAfter(...thrice, uncertain(1600))).toEqual([8.73, 246]);
  });
});

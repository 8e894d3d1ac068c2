import { describe, expect, it } from 'vitest';
import {
  failuresOf,
  orderEffectOf,
  type PairedTimes,
  quantileOfDifferences,
  shareWithin,
  shiftOfQuantile,
} from './paired-quantiles.ts';
import { exponential, fixed, pairsOf } from './paired-streams.fixture.ts';

const minute = { perSecond: 20, seconds: 60 };

describe('a percentile of the differences of pairs', () => {
  it('is exact where a gateway always adds the same', () => {
    const pairs = pairsOf(1, { ...minute, added: fixed(5) });
    const { value, low, high } = quantileOfDifferences(pairs, 0.95);
    for (const found of [value, low, high]) expect(found).toBeCloseTo(5, 9);
  });

  it('has no interval in a run of fewer than ten seconds', () => {
    const { value, low, high } = quantileOfDifferences(
      pairsOf(1, { perSecond: 50, seconds: 9, added: fixed(5) }),
      0.5,
    );
    expect(value).toBeCloseTo(5, 9);
    expect([low, high]).toEqual([null, null]);
  });
});

/** Returns a minute of pairs of which `count` in every hundred are replaced. */
const withOthers = (count: number, times: Omit<PairedTimes, 'second'>): readonly PairedTimes[] =>
  pairsOf(1, { ...minute, added: exponential(5) }).map((pair, i) =>
    (i * 37) % 100 < 100 - count ? pair : { ...pair, ...times },
  );

describe('failures', () => {
  it('make a percentile infinite if more pairs failed at the new side than lie beyond it', () => {
    const pairs = withOthers(8, { base: 200, next: Number.POSITIVE_INFINITY });
    expect(quantileOfDifferences(pairs, 0.95).value).toBeNull();
    expect(quantileOfDifferences(pairs, 0.5).value).not.toBeNull();
  });

  it('of both sides leave the bounds of a percentile open, not its value', () => {
    const failed = { base: Number.POSITIVE_INFINITY, next: Number.POSITIVE_INFINITY };
    const { value, low, high } = quantileOfDifferences(withOthers(8, failed), 0.95);
    expect(value).not.toBeNull();
    expect(low).not.toBeNull();
    expect(high).toBeNull();
  });

  it('stay in the denominator of the share that keeps a bound', () => {
    const pairs = withOthers(8, { base: null, next: 200 });
    expect(shareWithin(pairs, 1e6).value).toBeCloseTo(0.92, 9);
  });

  it('are more at a side only where that is sure', () => {
    const next = failuresOf(withOthers(8, { base: 200, next: Number.POSITIVE_INFINITY }));
    expect([next.nextOnly, next.baseOnly, next.both]).toEqual([96, 0, 0]);
    expect(next.added.outer.low).toBeGreaterThan(0);
    const none = failuresOf(pairsOf(1, { ...minute, added: fixed(0) }));
    expect(none.added).toMatchObject({ value: 0 });
    expect(none.added.low).toBeLessThan(0);
    expect(none.added.high).toBeLessThan(0.02);
  });

  it('of one outage are not proved to come again', () => {
    const outage = pairsOf(1, { ...minute, added: fixed(0) }).map((pair) =>
      pair.second < 3 ? { ...pair, next: Number.POSITIVE_INFINITY } : pair,
    );
    expect(failuresOf(outage).added.value).toBeCloseTo(0.05, 9);
    expect(failuresOf(outage).added.outer.low).toBeLessThanOrEqual(0);
  });
});

describe('the shift of a percentile', () => {
  it('is not moved by scatter that both sides have, unlike the tail of the differences', () => {
    const pairs = pairsOf(5, { perSecond: 50, seconds: 60, added: fixed(0), noise: 10 });
    expect(quantileOfDifferences(pairs, 0.95).low).toBeGreaterThan(10);
    const { low, high } = shiftOfQuantile(pairs, 0.95);
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });

  it('shows what is added to the tail alone', () => {
    const stalls = pairsOf(5, { perSecond: 50, seconds: 60, added: fixed(0), noise: 1 }).map(
      (pair, i) => (i % 10 === 0 ? { ...pair, next: pair.next! + 400 } : pair),
    );
    expect(quantileOfDifferences(stalls, 0.5).high).toBeLessThan(1);
    expect(shiftOfQuantile(stalls, 0.95).low).toBeGreaterThan(100);
  });
});

describe('the effect of the order', () => {
  it('is what the second request of a pair takes longer', () => {
    const pairs = pairsOf(5, { perSecond: 20, seconds: 60, added: fixed(5), noise: 0.5 }).map(
      (pair, i) => {
        const nextFirst = i % 2 === 0;
        const late = nextFirst ? { base: pair.base! + 3 } : { next: pair.next! + 3 };
        return { ...pair, ...late, nextFirst };
      },
    );
    const { value, low, high } = orderEffectOf(pairs);
    expect(value).toBeCloseTo(3, 0);
    expect(low).toBeLessThan(3);
    expect(high).toBeGreaterThan(3);
  });
});

import { describe, expect, it } from 'vitest';
import type { GeneratorSample } from '../../model/result/result.ts';
import { healthyResult, sampleJudgedSlice, sampleSeconds } from '../sample-result.fixture.ts';
import { likelyShare, readingDelayOf } from './reading-delay.ts';

const delayOf = (...slices: readonly (readonly Partial<GeneratorSample>[])[]) =>
  readingDelayOf(
    healthyResult({
      slices: slices.map((seconds, index) =>
        sampleJudgedSlice(sampleSeconds(seconds), { index, count: slices.length }),
      ),
    }),
  );
const ten = <T>(value: T): readonly T[] => Array.from({ length: 10 }, () => value);

describe('how late a machine reads, by its timers', () => {
  const late = { p50: 1, p90: 2, p99: 3 };

  it('is one of four steps, each with the time from the kernel', () => {
    const { beyond, instants } = delayOf(ten({ late, delayMax: 9 }));
    expect(instants).toBe(Infinity);
    const shares = [0, 0.009, 0.011, 0.09, 0.11, 0.49, 0.51, 0.99];
    const delays = [9.1, 9.1, 3.1, 3.1, 2.1, 2.1, 1.1, 1.1];
    for (const [i, share] of shares.entries()) expect(beyond(share)).toBeCloseTo(delays[i]!, 9);
    expect(beyond(1)).toBe(0);
  });

  it('is the p99 where an old result has no more', () => {
    const { beyond } = delayOf(ten({ delayP99: 4, delayMax: 9 }));
    expect([0, 0.02, 0.99].map(beyond)).toEqual([9.1, 4.1, 4.1]);
  });

  it('is that of the worst slice at each share', () => {
    const [slow, spiky] = [
      { late: { p50: 5, p90: 5, p99: 5 }, delayMax: 5 },
      { late, delayMax: 99 },
    ];
    const { beyond } = delayOf(ten(slow), ten(spiky));
    expect([0, 0.5, 0.9].map(beyond)).toEqual([99.1, 5.1, 5.1]);
    // It is the same when it is asked again.
    expect([0, 0.5, 0.9].map(beyond)).toEqual([99.1, 5.1, 5.1]);
  });
});

describe('how late a machine reads, by its self-test streams', () => {
  const read = (events: number, more: object = {}) =>
    ten({
      canary: {
        streams: 20,
        errors: [
          [0.05, events - 40],
          [4, 40],
        ] as [number, number][],
        ...more,
      },
    });

  it('is what so large a share of their events exceeds', () => {
    const { beyond, instants } = delayOf(read(400));
    expect(instants).toBe(4000);
    expect([0, 0.05, 0.099, 0.11, 0.9].map(beyond)).toEqual([4, 4, 4, 0.05, 0.05]);
    expect(beyond(1)).toBe(0);
  });

  it('leaves out the time in the event loop where that is known', () => {
    const { beyond } = delayOf(read(400, { outside: [[0.01, 400]] }));
    expect(beyond(0)).toBe(0.01);
  });

  it('is unknown for as many events as are missing, if they are more than 1 %', () => {
    expect(delayOf(read(397)).beyond(0)).toBe(4);
    const { beyond } = delayOf(read(360));
    expect([0, 0.05, 0.09].map(beyond)).toEqual([Infinity, Infinity, Infinity]);
    expect([0.11, 0.25].map(beyond)).toEqual([4, 0.05]);
  });

  it('is that of the timers if no event was read', () => {
    expect(delayOf(ten({ canary: { streams: 20, errors: [] } })).instants).toBe(Infinity);
    expect(delayOf(ten({}), read(400)).instants).toBe(4000);
  });
});

describe('the share of requests that is likely to be late', () => {
  const of = (share: number, count: number, instants = Infinity): number =>
    likelyShare(share, count, { beyond: () => 0, instants });

  it('is the 95 % quantile of their number, in whole requests', () => {
    // 10 of 1,000 on average, and 1.645 times √9.9 more: 15.2.
    expect(of(0.01, 1000)).toBe(0.016);
    expect(of(0.5, 100)).toBe(0.59);
    expect(of(0, 1000)).toBeCloseTo(0, 12);
    expect(of(1, 10)).toBe(1);
  });

  it('is larger if few instants were observed', () => {
    // Of 100 instants none was late: by Wilson’s interval 2.63 % may be, 26.3 of 1,000 and 8.3 more.
    expect(of(0, 1000, 100)).toBe(0.035);
    expect(of(0.01, 1000, 1_000_000)).toBe(0.016);
    expect(of(1, 1000, 100)).toBe(1);
  });
});

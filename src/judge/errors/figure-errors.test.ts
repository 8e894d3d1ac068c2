import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Group } from '../../model/measures/counts.ts';
import { emptyHistogram, type EncodedHistogram } from '../../model/measures/histogram.ts';
import { quantile } from '../../model/measures/quantile.ts';
import { milliseconds } from '../../model/quantity.ts';
import type { CanarySample } from '../../model/result/canary.ts';
import type { GeneratorSample, Result } from '../../model/result/result.ts';
import {
  healthyResult,
  sampleGroup,
  sampleJudgedSlice,
  sampleSeconds,
} from '../sample-result.fixture.ts';
import { figureErrorsOf } from './figure-errors.ts';

const histogramOf = (samples: readonly number[]): EncodedHistogram => {
  const histogram = emptyHistogram();
  for (const sample of samples) histogram.record(sample);
  return histogram.toJSON();
};

const groupWith = (
  distributions: Readonly<Record<string, readonly number[]>>,
  delays: Readonly<Record<string, readonly number[]>>,
): Group => {
  const encoded = (all: Readonly<Record<string, readonly number[]>>) =>
    Object.fromEntries(Object.entries(all).map(([name, samples]) => [name, histogramOf(samples)]));
  return sampleGroup(0, {
    labels: { traffic: 'chat-stream', model: 'm', key: 'k', stage: 's', warmUp: false },
    distributions: encoded(distributions),
    delays: encoded(delays),
  });
};

/** Returns a run of one second whose self-test streams have these errors, each in hundredths of a ms. */
const resultWith = (group: Group, errors: CanarySample['errors'], streams = 1): Result => {
  const canary = { streams, errors };
  return healthyResult({
    slices: [sampleJudgedSlice(sampleSeconds([{ canary }]))],
    groups: [group],
  });
};

/** Returns the sample that a share q of all samples do not exceed. */
const trueQuantile = (samples: readonly number[], q: number): number =>
  samples.toSorted((a, b) => a - b)[Math.ceil(samples.length * q - 1e-9) - 1]!;

const all = () => true;
/**
 * The rounding error of histograms, which keep three digits. It also affects the values from which a lower bound is
 * computed.
 */
const slack = 1.002;
const lowSlackOf = (seen: readonly number[], q: number): number =>
  (slack - 1) * trueQuantile(seen, q);

/** Returns twenty events, as many as a stream sends in a second, one of which is late. */
const events = (late: number): CanarySample['errors'] => [
  [0, 19],
  [late, 1],
];

describe('the bounds of a figure', () => {
  it('are wider where the first tokens of streams that failed later were read late, but not of completed ones', () => {
    const completed = groupWith(
      { ttft: Array.from({ length: 50 }, () => 100) },
      { first: Array.from({ length: 50 }, () => 1) },
    );
    const late = histogramOf(Array.from({ length: 50 }, () => 40));
    const group: Group = {
      ...completed,
      partials: { ttft: histogramOf(Array.from({ length: 50 }, () => 100)) },
      delays: { ...completed.delays, firstOfPartial: late },
    };
    const { boundsOf, boundsOfCompleted } = figureErrorsOf(resultWith(group, [[0, 100]]));
    expect(boundsOf('ttft', all)!(0.5).low).toBeCloseTo(60);
    expect(boundsOfCompleted('ttft', all)!(0.5).low).toBeCloseTo(99);
  });

  it('contain the true quantile, however late reads and starts were and whatever that depended on', () => {
    const samples = fc.array(
      fc.tuple(
        fc.integer({ min: 1, max: 1000 }),
        fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2000 })),
      ),
      { minLength: 1, maxLength: 300 },
    );
    fc.assert(
      fc.property(samples, fc.constantFrom(0.5, 0.9, 0.95, 0.99), (each, q) => {
        const truth = each.map(([time]) => time);
        const delays = each.map(([, delay]) => delay);
        const seen = each.map(([time, delay]) => time + delay);
        const result = resultWith(groupWith({ endToEnd: seen }, { end: delays }), [[0, 20]]);
        const { low, high } = figureErrorsOf(result).boundsOf('endToEnd', all)!(q);
        expect(low).toBeLessThanOrEqual(trueQuantile(truth, q) + lowSlackOf(seen, q));
        expect(high * slack).toBeGreaterThanOrEqual(trueQuantile(truth, q));
      }),
    );
  });

  it('of a gap contain the true quantile even if both ends were read late', () => {
    const samples = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat({ max: 30 })), {
      minLength: 2,
      maxLength: 300,
    });
    fc.assert(
      fc.property(samples, fc.constantFrom(0.5, 0.95), (each, q) => {
        const truth = each.slice(1).map(([time]) => time);
        const delays = each.map(([, delay]) => delay);
        const seen = truth.map((time, i) => Math.max(0, time + delays[i + 1]! - delays[i]!));
        const between = {
          gapLow: seen.map((gap, i) => Math.max(0, gap - delays[i + 1]!)),
          gapHigh: seen.map((gap, i) => gap + delays[i]!),
        };
        const result = resultWith(groupWith({ gap: seen }, between), [[0, 20]]);
        const { low, high } = figureErrorsOf(result).boundsOf('gap', all)!(q);
        expect(low).toBeLessThanOrEqual(trueQuantile(truth, q) + lowSlackOf(seen, q));
        expect(high * slack).toBeGreaterThanOrEqual(trueQuantile(truth, q));
      }),
    );
  });

  it('move by one rank, not by the length of the pause, if a pause is rare', () => {
    const times = Array.from({ length: 1000 }, (_, i) => 200 + i / 1000);
    const delays = times.map((_, i) => (i === 500 ? 7 : 0));
    const late = times.map((time, i) => time + delays[i]!);
    const result = resultWith(groupWith({ endToEnd: late }, { end: delays }), [[0, 20]]);
    const errors = figureErrorsOf(result);
    for (const q of [0.5, 0.95]) {
      const value = quantile(
        { count: 1000, atRank: (rank) => late.toSorted((a, b) => a - b)[rank - 1]! },
        q,
      )!.value;
      expect(value - errors.boundsOf('endToEnd', all)!(q).low).toBeLessThan(0.5);
    }
  });

  it('allow for a larger share of late requests where there are few, since it varies by chance', () => {
    const times = [...Array.from({ length: 11 }, () => 200), 220];
    const seen: CanarySample['errors'] = [
      [0, 99],
      [20, 1],
    ];
    const result = resultWith(groupWith({ ttft: times }, { first: [0] }), seen);
    // One event in a hundred was late. Of twelve requests one can have been.
    expect(figureErrorsOf(result).boundsOf('ttft', all)!(0.95).low).toBeLessThanOrEqual(200.2);
  });

  it('include how late the machine read the self-test streams', () => {
    const times = Array.from({ length: 100 }, () => 200);
    const bounds = (errors: CanarySample['errors']) =>
      figureErrorsOf(resultWith(groupWith({ ttft: times }, { first: [0] }), errors)).boundsOf(
        'ttft',
        all,
      )!(0.5);
    expect(bounds([[3, 20]]).low).toBeCloseTo(197, 0);
    expect(bounds(events(50)).low).toBeCloseTo(200, 0);
    expect(bounds([[3, 20]]).high).toBe(200);
  });

  it('are wide where events of the self-test streams are missing', () => {
    const times = Array.from({ length: 100 }, (_, i) => 100 + i);
    const bounds = (missing: number) =>
      figureErrorsOf(
        resultWith(groupWith({ ttft: times }, { first: [0] }), [[0, 100 * (20 - missing)]], 100),
      ).boundsOf('ttft', all)!(0.5);
    expect(bounds(0).low).toBeCloseTo(148, 0);
    expect(bounds(3).low).toBeLessThan(135);
    expect(bounds(12).low).toBe(0);
  });

  it('allow for more late reads than few events of the self-test streams could show', () => {
    const times = Array.from({ length: 100 }, (_, i) => 100 + i);
    const group = groupWith({ ttft: times }, { first: [0] });
    const low = (streams: number) =>
      figureErrorsOf(resultWith(group, [[0, 20 * streams]], streams)).boundsOf('ttft', all)!(0.5)
        .low;
    // Of 20, 200, 2,000 and 20,000 events none was late: up to 12, 1.3, 0.14 and 0.014 % of the instants can be.
    expect([1, 10, 100, 1000].map(low).map(Math.round)).toEqual([131, 145, 148, 148]);
  });

  it('of gaps count the tokens of streams that are read together once', () => {
    const gaps = Array.from({ length: 1000 }, (_, i) => 20 + i / 100);
    const low = (streamsAtATime: number) => {
      const seen = gaps.map((gap) => gap * streamsAtATime);
      const group = groupWith({ gap: seen }, { gapLow: seen, gapHigh: seen });
      return (
        figureErrorsOf(resultWith(group, [[0, 2000]], 100)).boundsOf('gap', all)!(0.5).low /
        streamsAtATime
      );
    };
    expect(low(1)).toBeGreaterThan(low(10));
  });

  it('of a figure per token or second divide the error, and those of a speed have no upper end if the whole duration can be error', () => {
    const tpot = groupWith(
      {
        tpot: Array.from({ length: 50 }, () => 20),
        outputTokens: Array.from({ length: 50 }, () => 101),
      },
      { tokens: Array.from({ length: 50 }, () => 10) },
    );
    const { low, high } = figureErrorsOf(resultWith(tpot, [[0, 20]])).boundsOf('tpot', all)!(0.5);
    expect([low, high]).toEqual([expect.closeTo(19.9, 1), expect.closeTo(20.1, 1)]);
    const speed = groupWith(
      {
        outputSpeed: Array.from({ length: 50 }, () => 1000),
        outputTokens: Array.from({ length: 50 }, () => 11),
      },
      { tokens: Array.from({ length: 50 }, () => 10) },
    );
    expect(
      figureErrorsOf(resultWith(speed, [[0, 20]])).boundsOf('outputSpeed', all)?.(0.5),
    ).toEqual({
      low: expect.closeTo(500, 0),
      high: Number.POSITIVE_INFINITY,
    });
  });

  it.each([0, 1])('of a figure per token are finite beside answers of %i tokens', (few) => {
    const tokens = Array.from({ length: 50 }, (_, i) => (i < 25 ? few : 3));
    const delays = { tokens: Array.from({ length: 25 }, () => 10) };
    const of = (measure: 'tpot' | 'outputSpeed', value: number) => {
      const samples = Array.from({ length: 25 }, () => value);
      const group = groupWith({ [measure]: samples, outputTokens: tokens }, delays);
      return figureErrorsOf(resultWith(group, [[0, 20]])).boundsOf(measure, all)!(0.95);
    };
    // The answer of fewest tokens that has the figure divides by one token.
    expect(of('tpot', 20)).toEqual({ low: expect.closeTo(10, 0), high: expect.closeTo(30, 0) });
    expect(of('outputSpeed', 10).high).toBeLessThan(12);
  });

  it('are unknown for a figure per unit if the units were not counted', () => {
    const group = groupWith({ tpot: [20, 20] }, { tokens: [1, 1] });
    expect(figureErrorsOf(resultWith(group, [[0, 20]])).boundsOf('tpot', all)?.(0.5)).toEqual({
      low: 0,
      high: Number.POSITIVE_INFINITY,
    });
  });

  it('are exact for what the load generator cannot move', () => {
    const group = groupWith({ outputTokens: [5, 6] }, { end: [100] });
    expect(figureErrorsOf(resultWith(group, [[9, 20]])).boundsOf('outputTokens', all)).toBeNull();
  });

  it('use the lateness of timers without self-test streams, each percentile with its share', () => {
    const group = groupWith(
      { endToEnd: Array.from({ length: 1000 }, (_, i) => 100 + i / 100) },
      { end: Array.from({ length: 1000 }, () => 0) },
    );
    const widthWith = (late: GeneratorSample['late']): number => {
      const seconds = Array.from({ length: 20 }, () => ({
        ...(late === undefined ? {} : { late }),
        canary: null,
        delayP99: 8,
        delayMax: 9,
      }));
      const slices = [sampleJudgedSlice(sampleSeconds(seconds))];
      const result = healthyResult({ slices, groups: [group] });
      const { low, high } = figureErrorsOf(result).boundsOf('endToEnd', all)!(0.5);
      return high - low;
    };
    expect(widthWith(undefined)).toBeGreaterThan(8);
    // A tenth of the instants is a millisecond of this distribution, with some more by chance.
    expect(widthWith({ p50: 0.1, p90: 0.2, p99: 8 })).toBeLessThan(2);
    expect(widthWith({ p50: 0.1, p90: 8, p99: 8 })).toBeGreaterThan(5);
  });

  it('of results without read delays use the lag of the starts and the lateness of timers', () => {
    const group = groupWith({ endToEnd: [100, 100, 100] }, {});
    const { delays: _, ...older } = group;
    const result = healthyResult({ groups: [older], lags: [[5, 5, 5, 5]] });
    const { low } = figureErrorsOf(result).boundsOf('endToEnd', all)!(0.5);
    expect(low).toBeLessThan(95);
    expect(low).toBeGreaterThan(94);
  });
});

it('the errors of a result are made once, and again if one of its parts differs', () => {
  const result = resultWith(groupWith({ endToEnd: [100] }, { end: [1] }), [[0, 20]]);
  const errors = figureErrorsOf(result);
  expect(figureErrorsOf({ ...result, verdicts: [] })).toBe(errors);
  for (const part of ['groups', 'slices', 'timeline'] as const)
    expect(figureErrorsOf({ ...result, [part]: [...result[part]] })).not.toBe(errors);
  const plan = { ...result.plan, warmUp: milliseconds(1000) };
  expect(figureErrorsOf({ ...result, plan })).not.toBe(errors);
});

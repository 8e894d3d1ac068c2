import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { emptyOutcomeCounts } from '../../model/measures/outcome-counts.ts';
import type { Result } from '../../model/result/result.ts';
import { healthyResult, sampleGroup, streamLabels } from '../sample-result.fixture.ts';
import { metricCandidatesOf } from './metric-candidates.ts';

const ofSamples = (...samples: readonly number[]) => {
  const histogram = emptyHistogram();
  histogram.recordAll(samples);
  return histogram.toJSON();
};
const many = (value: number) => ofSamples(...Array<number>(400).fill(value));

/** A run of 400 streams; `value` is each of its times in ms. */
const runOf = (value: number, more: Partial<Parameters<typeof sampleGroup>[1]> = {}): Result =>
  healthyResult({
    timeline: healthyResult().timeline.map((each) => ({
      ...each,
      outputTokens: 40,
    })),
    groups: [
      sampleGroup(400, {
        labels: streamLabels,
        distributions: {
          ttft: many(value),
          gap: many(value),
          tpot: many(value),
          endToEnd: many(value),
          outputSpeed: many(value),
        },
        ...more,
      }),
    ],
  });
const repetition = (result: Result, figures: readonly object[] = []) => ({
  file: 'f',
  result,
  trust: { level: 'valid', evidence: [], figures } as never,
});
const candidates = (
  base: readonly Result[],
  next: readonly Result[],
  gates: readonly string[] | null = null,
) =>
  metricCandidatesOf(
    { base: base.map((each) => repetition(each)), next: next.map((each) => repetition(each)) },
    gates,
  );
const named = (
  name: string,
  [base, next]: readonly [readonly Result[], readonly Result[]],
  gates: readonly string[] | null = null,
) => candidates(base, next, gates).find(({ labels }) => labels.name === name)!;

const [slow, fast] = [runOf(120), runOf(100)];

describe('the figures of a comparison', () => {
  it('have the values of each side, and say which of them decide', () => {
    expect(named('ttft.p95', [[slow, slow], [fast]])).toMatchObject({
      labels: {
        id: 'chat-stream ttft.p95',
        traffic: 'chat-stream',
        model: null,
        label: 'TTFT p95',
        unit: 'ms',
        better: 'lower',
      },
      scale: 'ratio',
      base: [expect.closeTo(120, 0), expect.closeTo(120, 0)],
      next: [expect.closeTo(100, 0)],
      gated: true,
      headline: true,
      remark: null,
    });
    expect(named('ttft.p99', [[slow], [fast]])).toMatchObject({ gated: false, headline: false });
  });

  it('have the smallest change that matters: 10 % and 5 ms, half a ms for tokens, 5 % of a speed', () => {
    const of = (name: string) => {
      const found = named(name, [[slow], [fast]]);
      return found.scale === 'ratio' ? [found.effect, found.floor] : [];
    };
    expect(of('ttft.p50')).toEqual([0.1, 5]);
    expect(of('gap.p50')).toEqual([0.1, 0.5]);
    expect(of('tpot.p50')).toEqual([0.1, 0.5]);
    expect(of('outputSpeed.p50')).toEqual([0.05, 0]);
    expect(of('outputTokens')).toEqual([0.05, 0]);
  });

  it('are those that are asked for, also if nobody has them', () => {
    const gates = ['ttft.p99', 'errors', 'firstAudio.p50', 'ttft.p90'];
    const decide = candidates([slow], [fast], gates).filter(({ gated }) => gated);
    expect(decide.map(({ labels, remark }) => [labels.name, remark])).toEqual([
      ['ttft.p99', expect.stringMatching(/^fewer than 1,000 samples in a run$/)],
      ['ttft.p90', null],
      ['firstAudio.p50', 'no run has a value'],
    ]);
    expect(named('ttft.p90', [[slow], [fast]], gates).headline).toBe(true);
  });

  it('with too few samples do not decide by themselves, but where they are asked for', () => {
    const few = runOf(5, { distributions: { ttft: ofSamples(5, 6, 7) } });
    expect(named('ttft.p95', [[few], [slow]])).toMatchObject({
      gated: false,
      remark: 'fewer than 200 samples in a run',
    });
    expect(named('ttft.p95', [[few], [slow]], ['ttft.p95']).gated).toBe(true);
  });

  it('say in how many runs they are missing', () => {
    const none = runOf(5, { distributions: {} });
    expect(
      named('ttft.p50', [
        [slow, none],
        [none, none, fast],
      ]),
    ).toMatchObject({
      base: [expect.any(Number)],
      next: [expect.any(Number)],
      remark: '1 of the base runs has no value; 2 of the new runs have no value',
    });
    expect(candidates([none], [none]).map(({ labels }) => labels.name)).not.toContain('ttft.p50');
  });
});

describe('failures and 429s', () => {
  const failing = runOf(100, {
    outcomes: { ...emptyOutcomeCounts(), completed: 390, limited: 6, broken: 4 },
  });
  const shares = (name: string, ...sides: readonly [readonly Result[], readonly Result[]]) => {
    const found = named(name, sides);
    return found.scale === 'difference' ? [found.base, found.next, found.gated, found.remark] : [];
  };

  it('are shares of the arrivals, and count apart from each other', () => {
    expect(shares('errors', [fast], [failing])).toEqual([
      [{ events: 0, of: 400 }],
      [{ events: 4, of: 400 }],
      true,
      null,
    ]);
    expect(shares('limited', [fast], [failing])[1]).toEqual([{ events: 6, of: 400 }]);
  });

  it('that neither side has decide nothing', () => {
    expect(shares('errors', [fast], [slow]).slice(2)).toEqual([false, 'none on either side']);
  });
});

describe('the error of a figure', () => {
  const error = (figures: readonly object[]) =>
    metricCandidatesOf(
      { base: [repetition(slow, figures)], next: [repetition(fast)] },
      null,
    ).flatMap((found) =>
      found.scale === 'ratio' && found.labels.name === 'ttft.p95' ? found.error : [],
    )[0];
  const figure = { traffic: 'chat-stream', measure: 'ttft', q: 0.95, value: 100 };

  it('is how far the true one may be, in either direction, at most ten times', () => {
    expect(error([])).toBe(0);
    expect(error([{ ...figure, low: 80, high: 110 }])).toBeCloseTo(0.25, 9);
    expect(error([{ ...figure, low: 95, high: 150 }])).toBeCloseTo(0.5, 9);
    expect(error([{ ...figure, low: 0, high: 110 }])).toBeCloseTo(10, 9);
    expect(error([{ ...figure, low: 99, high: 1e9 }])).toBeCloseTo(10, 9);
    expect(error([{ ...figure, q: 0.5, low: 1, high: 1e9 }])).toBe(0);
  });
});

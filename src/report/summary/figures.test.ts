import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { independence } from '../../model/measures/dependence.ts';
import { measures } from '../../model/measures/measures.ts';
import { milliseconds } from '../../model/quantity.ts';
import { MeasuredFigures, measuresPresent, outsideWarmUp } from '../../model/result/summary.ts';
import {
  completedShareText,
  errorText,
  kindFigures,
  kindsPresent,
  lagFigures,
  markedErrorText,
  percentileText,
} from './figures.ts';
import { sampleReportPlan } from '../fixtures/sample-plan.fixture.ts';
import { sampleRunResult } from '../fixtures/sample-result.fixture.ts';
import { sampleObservations } from '../fixtures/sample-observations.fixture.ts';
import {
  invalidTrust,
  validTrust,
  sampleFigure,
  uncertainGap,
} from '../fixtures/sample-trust.fixture.ts';

const result = sampleRunResult();
const kept = sampleObservations().filter(({ due }) => due >= sampleReportPlan.warmUp);

describe('figures', () => {
  it('agree with the sorted samples of all requests that were due after the warm-up', () => {
    const samples = kept.flatMap((each) => [...measures.ttft.of(each)]).toSorted((a, b) => a - b);
    const ttft = kindFigures(result, validTrust, 'chat-stream').headline[0]!;
    expect(ttft.subject.short).toBe('TTFT');
    expect(ttft.n).toBe(samples.length);
    for (const { q, value } of ttft.quantiles) {
      const exact = samples[Math.ceil(samples.length * q) - 1]!;
      expect(Math.abs(value - exact) / exact).toBeLessThan(0.001);
    }
  });

  it('come with the most frequent traffic first', () => {
    expect(kindsPresent(result)).toEqual([
      'chat-stream',
      'chat',
      'speech',
      'transcription',
      'models',
    ]);
  });

  it('have a headline for each kind', () => {
    const shorts = (['speech', 'transcription', 'models'] as const).map((kind) =>
      kindFigures(result, validTrust, kind).headline.map(({ subject }) => subject.short),
    );
    expect(shorts).toEqual([
      ['First audio', 'End to end', 'RTF speech', 'Characters/s'],
      ['End to end', 'RTF transcr.', 'Word errors'],
      ['End to end', 'Service time'],
    ]);
  });

  it('list every other measure with samples below the headline', () => {
    const { headline, otherMeasures } = kindFigures(result, validTrust, 'speech');
    const present = measuresPresent(
      result,
      (labels) => outsideWarmUp(labels) && labels.traffic === 'speech',
    );
    expect(headline.length + otherMeasures.length).toBe(present.length);
    expect(otherMeasures.map(({ subject }) => subject.label)).toContain('Service time');
  });

  it('of chunk gaps are withheld when the generator was not valid, and only then', () => {
    const withheld = (trust: typeof validTrust): readonly string[] =>
      kindFigures(result, trust, 'chat-stream')
        .headline.filter((row) => row.withheld)
        .map(({ subject }) => subject.short);
    expect(withheld(invalidTrust)).toEqual(['Chunk gap', 'Longest stall']);
    expect(withheld(validTrust)).toEqual([]);
  });

  it('of the lag leave the warm-up out', () => {
    expect(lagFigures(result)?.n).toBe(kept.length);
  });

  it('of the lag start at the first whole second after the warm-up', () => {
    const from = (warmUp: number) =>
      lagFigures({ ...result, plan: { ...sampleReportPlan, warmUp: milliseconds(warmUp) } })?.n;
    expect(from(10_001)).toBe(from(11_000));
    expect(from(10_001)).toBeLessThan(from(10_000)!);
  });
});

describe('the text for a measurement error', () => {
  it.each([
    ['too high', { value: 12.3, low: 11.1, high: 12.3 }, '−1.2'],
    ['too low', { value: 50.8, low: 50.8, high: 51.2 }, '+0.4'],
    ['either way by as much', { value: 20, low: 19.6, high: 20.4 }, '±0.4'],
    ['either way, equal to its digits', { value: 20, low: 19.62, high: 20.41 }, '±0.4'],
    ['more one way', { value: 20.5, low: 19.8, high: 22.6 }, '−0.7 +2.1'],
    ['to two digits after the point', { value: 1.33, low: 1.12, high: 1.33 }, '−0.21'],
    ['of a great figure', { value: 4000, low: 2766, high: 4000 }, '−1,234'],
    ['down to nothing', { value: 0.7, low: 0, high: 0.7 }, '−0.70'],
    [
      'without an upper bound',
      { value: 21.6, low: 0, high: Number.POSITIVE_INFINITY },
      'unbounded',
    ],
    ['rounded like its figure', { value: 0.965, low: 0, high: 0.965 }, '−0.96'],
  ])('%s', (_, figure, text) => {
    expect(errorText(figure)).toBe(text);
  });

  it('is left out if it rounds to nothing at the digits of the figure', () => {
    expect(errorText({ value: 1382, low: 1381.6, high: 1382 })).toBeNull();
    expect(errorText({ value: 13.8, low: 13.77, high: 13.8 })).toBeNull();
    expect(errorText({ value: 0, low: 0, high: 0 })).toBeNull();
    expect(markedErrorText(sampleFigure({ low: 188.031 }))).toBeUndefined();
    expect(markedErrorText(null)).toBeUndefined();
  });

  it('is marked if it is not small', () => {
    expect(markedErrorText(sampleFigure())).toEqual({ text: '−1', tone: 'quiet' });
    expect(markedErrorText(uncertainGap)).toEqual({ text: '−1.4 +2.8', tone: 'warning' });
  });
});

describe('a percentile of completed requests', () => {
  const samples = emptyHistogram();
  for (let i = 0; i < 700; i += 1) samples.record(144);
  const figuresOf = (completedShare: number) =>
    new MeasuredFigures(samples, () => independence, completedShare);

  it('is marked where more failed than it leaves out', () => {
    const texts = [0.5, 0.7, 0.9].map((q) => {
      const found = figuresOf(0.7).percentile(q)!;
      return [percentileText(found, 'ms'), completedShareText(found)];
    });
    expect(texts).toEqual([
      ['144', null],
      ['144', null],
      ['144*', 'of 70 %'],
    ]);
  });

  it('never has its share of arrivals rounded up', () => {
    const found = figuresOf(0.9499).percentile(0.95)!;
    expect(completedShareText(found)).toBe('of 94 %');
    expect(completedShareText(figuresOf(0.951).percentile(0.95)!)).toBeNull();
  });
});

import { describe, expect, it } from 'vitest';
import type { Labels } from '../../model/measures/counts.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { healthyResult, sampleGroup, streamLabels } from '../sample-result.fixture.ts';
import { comparedPercentiles, isGateName, isHeadlineFigure, percentileOf } from './gates.ts';
import { histogramsOf, onBoth, trafficStreamsOf } from './traffic-streams.ts';

describe('the name of a gate', () => {
  it('is a total or a percentile of a measure that has a better side', () => {
    expect(percentileOf('ttft.p95')).toEqual({ measure: 'ttft', q: 0.95 });
    expect(percentileOf('endToEnd.p5')).toEqual({ measure: 'endToEnd', q: 0.05 });
    expect(percentileOf('gap.p99.9')?.q).toBeCloseTo(0.999, 12);
    for (const name of ['ttft', 'ttft.p0', 'ttft.p100', 'ttft.95', 'p95', 'speed.p50', 'ttft.p95 '])
      expect(percentileOf(name)).toBeNull();
    for (const name of ['completed', 'outputTokens', 'errors', 'limited', 'ttft.p50', 'gap.p99.9'])
      expect(isGateName(name)).toBe(true);
    for (const name of ['error', 'inputTokens.p50', 'characters.p50', 'ttft.p100', ''])
      expect(isGateName(name)).toBe(false);
  });

  it('is accepted for each figure that is compared by default', () => {
    const all = Object.values(comparedPercentiles).flatMap(({ gated, shown }) => [
      ...gated,
      ...shown,
    ]);
    expect(all.filter((name) => !isGateName(name))).toEqual([]);
  });

  it('is a headline figure if it is a p50 or p95 of what most readers look for', () => {
    expect(isHeadlineFigure('chat-stream', { measure: 'ttft', q: 0.95 })).toBe(true);
    expect(isHeadlineFigure('chat-stream', { measure: 'ttft', q: 0.99 })).toBe(false);
    expect(isHeadlineFigure('chat', { measure: 'ttft', q: 0.95 })).toBe(false);
    expect(isHeadlineFigure('models', { measure: 'endToEnd', q: 0.5 })).toBe(true);
  });
});

describe('the streams of traffic that are compared', () => {
  const runOf = (...labels: readonly Partial<Labels>[]) =>
    healthyResult({
      groups: labels.map((each) => sampleGroup(5, { labels: { ...streamLabels, ...each } })),
    });
  const [a, b] = [{ model: 'a' }, { model: 'b' }];
  const streams = (base: readonly Partial<Labels>[], next: readonly Partial<Labels>[]) =>
    trafficStreamsOf({ base: [runOf(...base)], next: [runOf(...next)] }).map(
      ({ traffic, model }) => `${traffic} ${model}`,
    );

  it('are the models where both sides have the same, and else the kinds', () => {
    expect(streams([a, b], [b, a])).toEqual(['chat-stream a', 'chat-stream b']);
    expect(streams([a, b], [a])).toEqual(['chat-stream null']);
    expect(streams([a], [a])).toEqual(['chat-stream null']);
    expect(streams([a], [b])).toEqual(['chat-stream null']);
    expect(streams([], [{ traffic: 'models', model: null }])).toEqual(['models null']);
    expect(streams([{ ...a, traffic: 'chat' }, a], [a])).toEqual(['chat null', 'chat-stream null']);
  });

  it('leave the warm-up out', () => {
    expect(streams([{ ...a, warmUp: true }], [])).toEqual([]);
    expect(streams([a, { ...b, warmUp: true }], [a])).toEqual(['chat-stream null']);
  });

  it('have a distribution in each run', () => {
    const histogram = emptyHistogram();
    histogram.recordAll([1, 2, 3]);
    const distributions = { ttft: histogram.toJSON() };
    const labels = [a, b, { ...a, warmUp: true }, { ...a, traffic: 'chat' as const }];
    const result = healthyResult({
      groups: labels.map((each) =>
        sampleGroup(3, { labels: { ...streamLabels, ...each }, distributions }),
      ),
    });
    const countOf = (model: string | null) =>
      histogramsOf([result, result], { traffic: 'chat-stream', model }, 'ttft').map(
        ({ count }) => count,
      );
    expect([countOf(null), countOf('a'), countOf('c')]).toEqual([
      [6, 6],
      [3, 3],
      [0, 0],
    ]);
    expect(onBoth({ base: 1, next: 2 }, (side) => side * 10)).toEqual({ base: 10, next: 20 });
  });
});

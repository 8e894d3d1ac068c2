import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { MeasuredFigures } from '../../../model/result/summary.ts';
import { percentilePlot } from './distribution-plots.ts';

const figuresOf = (values: Iterable<number>) => {
  const histogram = emptyHistogram();
  for (const value of values) histogram.record(value);
  return new MeasuredFigures(histogram);
};
const hundred = figuresOf(Array.from({ length: 100 }, (_, i) => i + 1));
const plot = (count = 100): string =>
  percentilePlot('TTFT', 'ms', [
    { name: 'chat', figures: count === 100 ? hundred : figuresOf([5]) },
  ])?.markup ?? '';
const pathOf = (name: string): readonly (readonly [number, number])[] =>
  [
    ...(new RegExp(`class="${name}"[^>]* d="([^"]*)"`).exec(plot())?.[1] ?? '').matchAll(
      /([\d.]+) ([\d.]+)/g,
    ),
  ].map(([, x, y]) => [Number(x), Number(y)]);

describe('the percentile plot', () => {
  it('never falls, and ends at the maximum', () => {
    const points = [...pathOf('firm'), ...pathOf('thin').slice(1)];
    for (const [i, [x, y]] of points.slice(1).entries()) {
      expect(x).toBeGreaterThanOrEqual(points[i]![0]);
      expect(y).toBeLessThanOrEqual(points[i]![1]);
    }
    // 100 of 0 … 100 is the top of the frame.
    expect(points.at(-1)).toEqual([426, 12]);
  });

  it('gives every further nine the same room', () => {
    const ticks = [...plot().matchAll(/x="([\d.]+)" y="266"[^>]*>(min|p90|p99)</g)].map(([, x]) =>
      Number(x),
    );
    expect(ticks).toHaveLength(3);
    expect(ticks[2]! - ticks[1]!).toBeCloseTo(ticks[1]! - ticks[0]!, 0);
  });

  it('is dashed where fewer than ten samples are beyond', () => {
    const p90 = 54 + (1 / Math.log10(200)) * (440 - 54 - 14);
    expect(pathOf('firm').at(-1)![0]).toBeLessThanOrEqual(p90);
    expect(pathOf('thin')[1]![0]).toBeGreaterThan(p90);
  });

  it('says in words what it shows', () => {
    expect(plot()).toContain('chat: p50 50.0 ms, p90 90.0 ms, p99 99.0 ms, maximum 100 ms');
  });

  it('is absent if there is nothing to plot', () => {
    expect(plot(1)).toBe('');
  });
});

import { describe, expect, it } from 'vitest';
import { emptyHistogram, type Histogram } from '../../../model/measures/histogram.ts';
import { heatmap } from './distribution-plots.ts';
import { loadPlot } from './dot-plots.ts';

const of = (...samples: readonly number[]): Histogram => {
  const histogram = emptyHistogram(2);
  for (const sample of samples) histogram.record(sample);
  return histogram;
};
const drawn = (columns: readonly Histogram[]): string | undefined =>
  heatmap({ title: 'Time to first token', unit: 'ms', step: 2, columns })?.markup;
/** The left and upper corners of all cells. */
const cells = (svg: string | undefined): readonly string[] =>
  [...(svg ?? '').matchAll(/M(\d+\.\d \d+\.\d)h/g)].map(([, corner]) => corner!);

describe('a heatmap', () => {
  it('has a cell for each row of a column with samples, and says what it shows', () => {
    const svg = drawn([of(10, 10, 10, 1000), of(), of(100)]);
    expect(cells(svg)).toHaveLength(3);
    expect(svg).toContain('5 samples from 10.0 to 1,000 ms; the fullest cell has 3.');
  });

  it('has low values at the bottom, high values at the top, and time from left to right', () => {
    const [low, high] = cells(drawn([of(10, 1000)])).map((corner) => Number(corner.split(' ')[1]));
    expect(Math.abs(low! - high!)).toBeCloseTo(((230 - 10 - 34) * 23) / 24, 0);
    const corners = cells(drawn([of(10), of(10)])).map((corner) => Number(corner.split(' ')[0]));
    expect(corners).toEqual([54, 54 + (900 - 54 - 14) / 2]);
  });

  it('draws latencies that are all equal, and zero', () => {
    expect(cells(drawn([of(200, 200, 200)]))).toHaveLength(1);
    expect(cells(drawn([of(0, 0, 5)]))).toHaveLength(2);
    expect(drawn([of(0, 0)])).toContain('2 samples from 0 to 0 ms');
  });

  it('is left out if there is nothing to show', () => {
    expect(drawn([of(), of(3)])).toBeUndefined();
  });
});

describe('latency against load', () => {
  const points = [1, 2, 3, 4, 5].map((rate) => ({ rate, p50: 10 * rate, p95: null }));

  it('has a dot for each piece of the run', () => {
    const svg = loadPlot('TTFT', 'ms', points)!.markup;
    expect(svg.match(/<circle/g)).toHaveLength(5);
    expect(svg).toContain('5 pieces of the run, at 1.00 to 5.00 requests sent per second');
  });

  it('is left out if the load hardly varied, or there are too few pieces', () => {
    expect(loadPlot('TTFT', 'ms', points.slice(0, 4))).toBeNull();
    expect(
      loadPlot(
        'TTFT',
        'ms',
        points.map((point) => ({ ...point, rate: 5 + point.rate / 10 })),
      ),
    ).toBeNull();
  });
});

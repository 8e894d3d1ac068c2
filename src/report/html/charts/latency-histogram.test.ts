import { describe, expect, it } from 'vitest';
import { emptyHistogram } from '../../../model/measures/histogram.ts';
import { MeasuredFigures } from '../../../model/result/summary.ts';
import { latencyHistogram } from './distribution-plots.ts';

const options = { title: 'Time to first token', unit: 'ms', colour: 'chat' };

const drawn = (samples: readonly number[]): string | undefined => {
  const histogram = emptyHistogram(3);
  for (const sample of samples) histogram.record(sample);
  return latencyHistogram(options, new MeasuredFigures(histogram))?.markup;
};
const barsIn = (svg: string | undefined): number =>
  (svg ?? '').match(/class="area bar/g)?.length ?? 0;

describe('a histogram of a latency', () => {
  it('has a bar for each bin with samples, and says how many the fullest has', () => {
    const svg = drawn([
      ...Array.from({ length: 30 }, () => 102),
      ...Array.from({ length: 10 }, () => 152),
    ]);
    expect(barsIn(svg)).toBe(2);
    expect(svg).toContain('40 samples in steps of 5.00 ms; at most 30 in one.');
    expect(svg).not.toMatch(/NaN|Infinity/);
  });

  it('counts what is far beyond the p99 instead of drawing it', () => {
    const usual = Array.from({ length: 500 }, (_, i) => 100 + (i % 50));
    const svg = drawn([...usual, 60_000]);
    expect(svg).toContain('; 1 slower one up to 60,');
    expect(barsIn(svg)).toBeGreaterThan(5);
  });

  it('is left out for a few samples', () => {
    expect(drawn([100, 200])).toBeUndefined();
  });
});

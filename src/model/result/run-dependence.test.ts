import { describe, expect, it } from 'vitest';
import { halfWidthOfRatio, z95 } from '../measures/dependence.ts';
import { emptyHistogram } from '../measures/histogram.ts';
import { emptySecond } from '../measures/outcome-counts.ts';
import {
  dependenceAt,
  dependenceAtBound,
  dependenceOfDue,
  meanHalfWidth,
  type RunPart,
  samplesBySecond,
  sumBySecond,
  withinBySecond,
} from './run-dependence.ts';

it('a second is decoded once for each measure, however many figures and parts of a run it is in', () => {
  const samples = emptyHistogram(2);
  for (const sample of [100, 200, 300]) samples.record(sample);
  const { hdr, ...others } = samples.toJSON();
  let decoded = 0;
  const counted = Object.defineProperty({ ...others, hdr }, 'hdr', {
    get: () => {
      decoded += 1;
      return hdr;
    },
  });
  const seconds = Array.from({ length: 20 }, (_, second) => ({
    ...emptySecond(second),
    due: 4,
    latency: { chat: { ttft: counted, endToEnd: counted } },
  }));
  const parts: readonly RunPart[] = [seconds, seconds.slice(3), [undefined, ...seconds]].map(
    (each) => ({ kinds: ['chat'], seconds: each }),
  );
  const askAll = (name: 'ttft' | 'endToEnd'): void => {
    for (const part of parts) {
      const due = { q: 0.9, failed: 0.05 };
      for (const q of [0.5, 0.95, 0.99]) dependenceAt(part, name, q);
      dependenceOfDue(part, name, due.q, due.failed);
      dependenceAtBound(part, name, { bound: 250, isLower: false }, due);
      meanHalfWidth(part, name);
      expect(sumBySecond(part, name)?.at(-1)).toEqual({ sum: 600, of: 3 });
      expect(withinBySecond(part, name, 250)?.at(-1)).toEqual({ events: 2, of: 4 });
    }
  };
  samplesBySecond(parts[0]!, 'endToEnd');
  const once = decoded;
  expect(once).toBeGreaterThan(0);
  askAll('endToEnd');
  expect(decoded).toBe(once);
  askAll('ttft');
  expect(decoded).toBe(2 * once);
});

describe('the half width of a mean', () => {
  /** Twenty seconds with these samples of end-to-end times in ms. */
  const partOf = (samplesIn: (second: number) => readonly number[]): RunPart => ({
    kinds: ['chat'],
    seconds: Array.from({ length: 20 }, (_, second) => {
      const samples = emptyHistogram(2);
      for (const sample of samplesIn(second)) samples.record(sample);
      return { ...emptySecond(second), latency: { chat: { endToEnd: samples.toJSON() } } };
    }),
  });
  const blockWidth = (part: RunPart): number =>
    halfWidthOfRatio(sumBySecond(part, 'endToEnd') ?? []) ?? Number.NaN;

  it('is that of independent samples at least, if all blocks of the run happen to be alike', () => {
    const part = partOf(() => [100, 300]);
    expect(blockWidth(part)).toBeCloseTo(0, 6);
    // The 40 samples are 100 ms from their mean.
    const independent = z95 * Math.sqrt(100 ** 2 / 40);
    expect(meanHalfWidth(part, 'endToEnd')).toBeGreaterThan(0.97 * independent);
  });

  it('is that of the blocks, if these differ by more than their samples do', () => {
    const part = partOf((second) => (second < 10 ? [100, 101] : [300, 301]));
    const width = meanHalfWidth(part, 'endToEnd');
    expect(blockWidth(part)).toBeGreaterThan(50);
    expect(width).toBeGreaterThanOrEqual(blockWidth(part));
  });

  it('is unknown in a short run', () => {
    const { kinds, seconds } = partOf(() => [100, 300]);
    expect(meanHalfWidth({ kinds, seconds: seconds.slice(0, 5) }, 'endToEnd')).toBeNull();
  });
});

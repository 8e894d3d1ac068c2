// @gate 1 s
import { describe, expect, it } from 'vitest';
import { halfWidthOfRatio } from '../../model/measures/dependence.ts';
import { emptyHistogram } from '../../model/measures/histogram.ts';
import { type UniformDraw, uniformFrom } from '../../model/measures/processes.fixture.ts';
import { isSure } from './judge-objectives.ts';
import { type FigureSources, observeFigure } from './observed-value.ts';
import type { Objective } from '../../model/plan/objective.ts';

const runs = 100;
const length = 60;

/** Means over many runs of a minute with `n` independent answers each; answers take at most `longest` ms. */
const meansOf = (n: number, took: (draw: UniformDraw) => number, longest = 60_000) =>
  Array.from({ length: runs }, (_, run) => {
    const draw = uniformFrom(run * 7919 + n);
    const samples = emptyHistogram();
    const seconds = Array.from({ length }, () => ({ sum: 0, of: 0 }));
    for (let i = 0; i < n; i += 1) {
      const time = took(draw);
      samples.record(time);
      const second = seconds[Math.floor((i * length) / n)]!;
      second.sum += time;
      second.of += 1;
    }
    return observeFigure({ kind: 'measure', name: 'endToEnd', statistic: 'mean' }, {
      distribution: () => samples,
      meanHalfWidth: () => halfWidthOfRatio(seconds),
      longest: () => longest,
    } as Partial<FigureSources> as FigureSources);
  });

const isSurelyBelow = (bound: number, value: ReturnType<typeof observeFigure>): boolean =>
  value.observed! < bound && isSure({ comparison: '<', bound } as Objective, value) === true;

const exponential = (draw: UniformDraw): number => -200 * Math.log(1 - draw());
const normal = (draw: UniformDraw): number =>
  Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw());

describe('the mean of times', () => {
  it('is not sure to be below a bound that answers too rare to be seen would break', () => {
    // One in 500 takes 30 s: the true mean is 260 ms, and 14 of 100 runs of 1,000 answers have none.
    const means = meansOf(1000, (draw) => (draw() < 0.002 ? 30_000 : exponential(draw)));
    expect(means.filter((each) => isSurelyBelow(248, each))).toEqual([]);
    expect(means.filter(({ weak }) => weak !== true).length).toBeLessThan(25);
  });

  it('is sure if answers up to the deadline cannot bring it to the bound', () => {
    expect(meansOf(10_000, exponential).every((each) => isSurelyBelow(250, each))).toBe(true);
    expect(meansOf(1000, exponential, 2000).every((each) => isSurelyBelow(250, each))).toBe(true);
    expect(meansOf(1000, exponential).some((each) => isSurelyBelow(250, each))).toBe(false);
  });

  it('is sure far from the bound, though its first answer took a thousand times as long', () => {
    let first = true;
    const times = (draw: UniformDraw): number => {
      const isCold = first;
      first = false;
      return isCold ? 500 : 0.5 + draw() / 10;
    };
    const [cold] = meansOf(600, times);
    expect(cold!.weak).toBe(true);
    expect(isSurelyBelow(10_000, cold!)).toBe(true);
    expect(isSurelyBelow(500, cold!)).toBe(false);
  });

  it('has a mark if few high values decide it, and none if they do not', () => {
    const heavy = meansOf(1000, (draw) => 100 * Math.exp(2 * normal(draw)));
    expect(heavy.filter(({ weak }) => weak === true).length).toBeGreaterThan(80);
    // Their true mean is 739 ms.
    expect(heavy.filter((each) => isSurelyBelow(700, each))).toEqual([]);
    expect(meansOf(1000, exponential).filter(({ weak }) => weak === true)).toEqual([]);
    expect(meansOf(1000, () => 7).filter(({ weak }) => weak === true)).toEqual([]);
  });
});

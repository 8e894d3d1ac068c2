// @gate 1 s
import { describe, expect, it } from 'vitest';
import { milliseconds } from '../../model/quantity.ts';
import { decidedAfter, timeOf } from './decided-after.fixture.ts';

describe('a run that ends when it knows enough', () => {
  it('is decided later if the bound is near, and never if it is the figure itself', () => {
    expect(decidedAfter(197)).toBeGreaterThan(60);
    expect(decidedAfter(195)).toBeNull();
  });

  it('leaves out a warm-up that it finds, and never decides while it finds no end', () => {
    const autoWarmUp = { earliest: milliseconds(0), latest: milliseconds(300_000) };
    const found = { warmUp: autoWarmUp.latest, autoWarmUp };
    const cold = (index: number): number => timeOf(index) * (index < 200 ? 10 : 1);
    expect(decidedAfter(400, cold, found)).toBe(61);
    expect(decidedAfter(400, cold)).toBeNull();
    const slower = (index: number): number => timeOf(index) * (1 + index / 400);
    expect(decidedAfter(100, slower, found)).toBeNull();
    expect(decidedAfter(100, slower)).toBe(31);
  });
});

import { describe, expect, it } from 'vitest';
import type { Load } from '../model/plan/plan.ts';
import { milliseconds, perSecond } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { expectedArrivalCount, scheduledEnd, stageStarts } from './stages.ts';

const open = (spacing: 'even' | 'poisson'): Load => ({
  kind: 'open',
  curve: [
    { from: perSecond(0), to: perSecond(3), duration: milliseconds(1000) },
    { from: perSecond(3), to: perSecond(3), duration: milliseconds(2000) },
  ],
  spacing,
});
const closed: Load = {
  kind: 'closed',
  users: 2,
  duration: milliseconds(5000),
  thinkTime: milliseconds(0),
  rampUp: milliseconds(0),
};
const iterations: Load = {
  kind: 'iterations',
  users: 2,
  iterations: 20,
  maxDuration: milliseconds(7000),
  thinkTime: milliseconds(0),
};

describe('stages', () => {
  const plan = samplePlan({
    stages: [open('even'), closed, iterations].map((load, i) => ({
      ...samplePlan().stages[0]!,
      name: `stage ${i}`,
      load,
    })),
  });

  it('follow one another without a gap, and shared iterations get their maximum duration', () => {
    expect(stageStarts(plan)).toEqual([0, 3000, 8000]);
    expect(scheduledEnd(plan)).toBe(15_000);
  });

  it.each([
    ['even arrivals', open('even'), 8],
    ['Poisson arrivals', open('poisson'), 7.5],
    ['shared iterations', iterations, 20],
    ['users', closed, null],
  ])('have the expected number of requests for %s', (_, load, count) => {
    expect(expectedArrivalCount(load)).toBe(count);
  });
});

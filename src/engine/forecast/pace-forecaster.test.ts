import { describe, expect, it } from 'vitest';
import { instant, milliseconds } from '../../model/quantity.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { PaceForecaster } from './pace-forecaster.ts';

const pace = {
  requests: 10,
  tokens: 1000,
  charged: 'ended' as const,
  window: milliseconds(10_000),
  margin: milliseconds(500),
};

/** Two keys, 25 s of load and 10 s of grace. */
const boundOf = (requests: number, tokens: number, burst?: number) => {
  const bound = new PaceForecaster(samplePlan({ pace: { ...pace, burst } }));
  for (let n = 0; n < requests; n += 1) bound.add(instant(n), tokens);
  return bound.forecast();
};

describe('the shortest wait under a pace', () => {
  it('is 0 while all requests fit into one window', () => {
    expect(boundOf(20, 10)).toMatchObject({ lastRelease: 19, longestWait: 0, unsendable: 0 });
  });

  it('is one window for each that all keys have filled, up to the end of the run', () => {
    expect(boundOf(21, 10)).toMatchObject({ lastRelease: 10_500, longestWait: 10_480 });
    expect(boundOf(80, 10)).toMatchObject({ lastRelease: 31_519, unsendable: 0 });
    expect(boundOf(85, 10)).toMatchObject({ unsendable: 5 });
  });

  it('has as many requests at once as the burst of all keys, and as many again when the limit allows them', () => {
    expect(boundOf(4, 10, 2)).toMatchObject({ lastRelease: 3, longestWait: 0 });
    // Two of ten requests in 10.5 s.
    expect(boundOf(5, 10, 2)).toMatchObject({ lastRelease: 2100, longestWait: 2096 });
  });

  it('reports the wait for tokens separately', () => {
    expect(boundOf(20, 250)).toMatchObject({ lastRelease: 19, tokenTime: 21_000 });
  });

  it('is null without a pace', () => {
    const bound = new PaceForecaster(samplePlan());
    bound.add(instant(0), 1);
    expect(bound.forecast()).toBeNull();
  });
});

// @gate 1 s
import { describe, expect, it } from 'vitest';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { measured, ttft } from './measured-noise.fixture.ts';

describe('the noise of an environment', () => {
  it('is the standard deviation of the runs, in whichever half they are', () => {
    const { noise } = ttft(measured(sampleSide('a', 60, { noise: 0.05 })));
    expect(noise).toBeGreaterThan(0.04);
    expect(noise).toBeLessThan(0.06);
  });

  it('finds only larger changes detectable with fewer repetitions, and none below the minimum effect', () => {
    const { detectable, least, needed } = ttft(measured(sampleSide('a', 20, { noise: 0.08 })));
    const [five, ten, twenty] = detectable.map(({ change }) => change);
    expect(five).toBeGreaterThan(ten!);
    expect(ten).toBeGreaterThan(twenty!);
    expect(twenty).toBeGreaterThanOrEqual(least);
    expect(needed).toBeGreaterThan(10);
    const quiet = ttft(measured(sampleSide('a', 6, { noise: 0.001 })));
    expect(quiet.detectable[0]!.change).toBe(least);
    expect(quiet.needed).toBe(5);
  });
});

import { describe, expect, it } from 'vitest';
import { sampleSide } from '../../../judge/series/sample-sides.fixture.ts';
import { measured, ttft } from './measured-noise.fixture.ts';
import { selfNoise } from './self-noise.ts';

describe('the noise of an environment', () => {
  it('assigns runs to the halves in turn, so that a steady drift makes no difference', () => {
    const side = sampleSide('a', 8, { noise: 0 });
    const drifting = {
      name: side.name,
      repetitions: side.repetitions.map((repetition, i) => {
        const [slower] = sampleSide('a', 1, { noise: 0, factor: 1.05 ** i }).repetitions;
        return { ...repetition, result: slower.result };
      }) as unknown as typeof side.repetitions,
    };
    expect(ttft(measured(drifting)).change).toBeCloseTo(1, 1);
    expect(Math.abs(Math.log(ttft(measured(drifting)).change))).toBeLessThan(0.01);
  });

  it('finds smaller changes of a share by the root of the number of repetitions', () => {
    const noise = measured(sampleSide('a', 8, { noise: 0.03 }));
    const errors = noise.metrics.find(({ id }) => id === 'errors')!;
    expect(errors.detectable.map(({ repetitions }) => repetitions)).toEqual([5, 10, 20]);
    const [five, ten, twenty] = errors.detectable.map(({ change }) => change);
    expect(five! / ten!).toBeCloseTo(Math.SQRT2, 9);
    expect(five! / twenty!).toBeCloseTo(2, 9);
    expect(errors.noise).toBeNull();
    // As many as make the change that is found as small as the least that counts.
    expect(errors.needed).toBe(Math.ceil(5 * (five! / errors.least) ** 2));
  });

  it('rejects excluded runs', () => {
    const side = sampleSide('a', 4);
    const [first, ...others] = side.repetitions;
    const unfit = { ...first, trust: { level: 'invalid', evidence: [], figures: [] } as const };
    const found = selfNoise({
      side: { name: 'a', repetitions: [unfit, ...others] },
      gates: null,
      allowed: [],
      weir: '0.1.0',
      comparedAt: '2026-07-01T10:20:30.000Z',
    });
    expect(found).toMatchObject({ ok: false, refusals: [{ what: 'validity' }] });
  });
});

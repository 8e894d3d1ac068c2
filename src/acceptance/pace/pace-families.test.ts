import { describe, expect, it } from 'vitest';
import { limiterFamilies, worstScore } from './pace-families.fixture.ts';

describe('a pace over twenty windows of more work than the limit', () => {
  it.each(Object.keys(limiterFamilies))(
    'does nine tenths of the admissible work almost without refusals if it is even: %s',
    (family) => {
      const { ofAdmissible, refused } = worstScore(family, 1);
      expect(ofAdmissible).toBeGreaterThanOrEqual(0.9);
      expect(ofAdmissible).toBeLessThanOrEqual(1);
      expect(refused).toBeLessThanOrEqual(0.02);
    },
  );

  it.each(Object.keys(limiterFamilies))(
    'is evenly spread after a refusal and goes on: %s',
    (family) => {
      const { ofAdmissible, refused } = worstScore(family, undefined);
      expect(ofAdmissible).toBeGreaterThanOrEqual(0.88);
      expect(refused).toBeLessThanOrEqual(0.06);
    },
  );
});

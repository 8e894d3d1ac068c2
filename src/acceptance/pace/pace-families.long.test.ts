import { describe, expect, it } from 'vitest';
import { limiterFamilies, worstScore } from './pace-families.fixture.ts';

const families = Object.keys(limiterFamilies);

describe('a pace over twenty windows of more work than the limit', () => {
  it.each([
    ['by default', undefined],
    ['evenly spread', 1],
  ])('(%s) does nine tenths of the admissible work and is hardly refused', (_, burst) => {
    for (const family of families) {
      const { ofAdmissible, refused } = worstScore(family, burst);
      expect(ofAdmissible, family).toBeGreaterThanOrEqual(0.9);
      expect(ofAdmissible, family).toBeLessThanOrEqual(1);
      expect(refused, family).toBeLessThanOrEqual(0.02);
    }
  });

  it('that may send the whole limit at once is evenly spread after a refusal and goes on', () => {
    for (const family of families) {
      const { ofAdmissible, refused } = worstScore(family, 60);
      expect(ofAdmissible, family).toBeGreaterThanOrEqual(0.88);
      expect(refused, family).toBeLessThanOrEqual(0.06);
    }
  });
});

// @long 12 s
import { describe, expect, it } from 'vitest';
import { drawFrom } from '../../model/workload/draw.ts';
import { foreignLimiters } from '../limits/foreign/foreign-limiters.fixture.ts';
import type { ForeignLimiter } from '../limits/foreign/foreign-limiter.fixture.ts';
import { limiterFamilies, worstScore } from './pace-families.fixture.ts';
import {
  type PaceTerms,
  pacedWindows,
  runPaced,
  usualTerms,
  windowPhases,
} from './paced-run.fixture.ts';

const families = Object.keys(limiterFamilies);

const otherTerms = (
  [
    [20, 10_000],
    [60, 10_000],
    [20, 60_000],
    [60, 60_000],
    [500, 60_000],
  ] as const
).flatMap(([limit, window]) =>
  (
    [
      [5, 5],
      [20, 120],
      [100, 900],
      [500, 500],
    ] as const
  ).map(([fastest, slowest]): PaceTerms => ({ limit, window, fastest, slowest })),
);

/** Of the limit in each window: how much a limiter of others admits, and how much it refuses of what is sent. */
const worstOfForeign = ({ open }: ForeignLimiter, burst: number | undefined, terms: PaceTerms) => {
  const { limit, window } = terms;
  const runs = windowPhases.map((phase) => {
    const start = -phase * window;
    const decide = open({ limit, window, start, draw: drawFrom(1) });
    return runPaced(
      (now) => {
        const { admitted, delay, retryAfter } = decide(now);
        const wait = retryAfter === null ? null : Math.ceil(retryAfter / 1000) * 1000;
        return { admitted, delay, wait };
      },
      burst,
      terms,
    );
  });
  return {
    ofLimit: Math.min(...runs.map(({ admitted }) => admitted / (limit * pacedWindows))),
    refused: Math.max(...runs.map(({ sent, admitted }) => 1 - admitted / sent)),
  };
};

describe.each([undefined, 1])(
  'a pace over twenty windows, against limiters of others (burst: %s)',
  (burst) => {
    it.each(foreignLimiters.filter(({ keeps }) => keeps === 'yes'))(
      'does nine tenths of what $name admits and is hardly refused',
      (limiter) => {
        for (const terms of [usualTerms, { ...usualTerms, limit: 20, window: 10_000 }]) {
          const { ofLimit, refused } = worstOfForeign(limiter, burst, terms);
          const what = JSON.stringify(terms);
          expect(ofLimit, what).toBeGreaterThanOrEqual(0.9);
          expect(refused, what).toBeLessThanOrEqual(0.02);
        }
      },
    );
  },
);

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

  it.each([undefined, 1])(
    'is hardly refused under other limits, windows and round trips either (burst: %s)',
    (burst) => {
      for (const terms of otherTerms) {
        for (const family of families) {
          const { ofAdmissible, refused } = worstScore(family, burst, terms);
          const what = `${family}, ${JSON.stringify(terms)}`;
          expect(refused, what).toBeLessThanOrEqual(0.02);
          expect(ofAdmissible, what).toBeGreaterThanOrEqual(0.9);
        }
      }
    },
  );

  it('that may send the whole limit at once is evenly spread after a refusal and goes on', () => {
    for (const family of families) {
      const { ofAdmissible, refused } = worstScore(family, 60);
      expect(ofAdmissible, family).toBeGreaterThanOrEqual(0.88);
      expect(refused, family).toBeLessThanOrEqual(0.06);
    }
  });
});

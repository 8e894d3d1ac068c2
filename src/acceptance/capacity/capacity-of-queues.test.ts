// @long 20 s
import { describe, expect, it } from 'vitest';
import {
  fullRate,
  meanLength,
  type QueueSearch,
  rateOfBound,
  searchQueue,
} from './queue-search.fixture.ts';
import { exponentialLength } from './queue-server.fixture.ts';

const bound = 4;
const seeds = [1, 2, 3, 4];

const searches = [
  { condition: 'flow', spacing: 'even', truth: fullRate },
  { condition: 'flow', spacing: 'poisson', truth: fullRate },
  { condition: 'p95', spacing: 'poisson', truth: rateOfBound(8, bound) },
  { condition: 'goodput', spacing: 'poisson', truth: rateOfBound(8, bound) },
] as const satisfies readonly (Pick<QueueSearch, 'condition' | 'spacing'> & { truth: number })[];

it('the formula agrees with a simulation of four million answers', () => {
  expect(rateOfBound(8, 4)).toBeCloseTo(68.4, 0);
  expect(rateOfBound(1, 6)).toBeCloseTo(40, 0);
});

describe.each(searches)(
  'the capacity of eight servers with random answers, by $condition with $spacing arrivals,',
  ({ truth, ...search }) => {
    it('is found without a tendency, and its interval holds it', async () => {
      const length = exponentialLength(meanLength(8));
      const found = [];
      for (const seed of seeds) {
        const { answer } = await searchQueue({ ...search, servers: 8, length, bound, seed });
        found.push(answer!.rate);
      }
      const mean = found.reduce((sum, { value }) => sum + value / truth, 0) / found.length;
      // Four searches have half the error of one, which is about 1.5 %.
      expect(Math.abs(mean - 1)).toBeLessThan(0.025);
      const held = found.filter(({ low, high }) => low <= truth && truth <= high);
      expect(held.length).toBeGreaterThanOrEqual(seeds.length - 1);
    });
  },
);

// @full 30 s: many more answers
import { expect, it } from 'vitest';
import { fuzz, fuzzTargets } from './parser-fuzz.fixture.ts';

it.each(fuzzTargets)(
  'a hundred thousand damaged answers, among them $name, end in one outcome however they are split',
  async (target) => {
    const accepted = await fuzz(target, 100_000, 2);
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(1);
  },
  600_000,
);

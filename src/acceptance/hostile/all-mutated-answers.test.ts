// @full 30 s: a hundred thousand answers in place of a thousand
import { expect, it } from 'vitest';
import { mutatedTargets } from './mutated-answers.fixture.ts';
import { fuzz } from './parser-fuzz.fixture.ts';

it.each(mutatedTargets)(
  'a hundred thousand mutated answers, among them $name, end in one outcome however they are split',
  async (target) => {
    const accepted = await fuzz(target, 100_000, 4, mutatedTargets);
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(1);
  },
  600_000,
);

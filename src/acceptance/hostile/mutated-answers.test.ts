// @gate 1 s
import { expect, it } from 'vitest';
import { mutatedTargets } from './mutated-answers.fixture.ts';
import { fuzz } from './parser-fuzz.fixture.ts';

it('the shares of all readers are the whole', () => {
  expect(mutatedTargets.reduce((sum, { share }) => sum + share, 0)).toBe(100);
});

it.each(mutatedTargets)(
  'a thousand mutated answers, among them $name, end in one outcome however they are split',
  async (target) => {
    const accepted = await fuzz(target, 1000, 3, mutatedTargets);
    expect(accepted).toBeGreaterThan(0);
    expect(accepted).toBeLessThan(1);
  },
);

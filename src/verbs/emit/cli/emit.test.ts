import { expect, it } from 'vitest';
import { amountFrom, emitVerb } from './emit.ts';

it('a worker has an amount of cores and memory above 0, up to what a machine can have', () => {
  expect(amountFrom('cpus', undefined, 2)).toBe(2);
  expect(amountFrom('cpus', '0.5', 2)).toBe(0.5);
  expect(amountFrom('cpus', '4096', 2)).toBe(4096);
  for (const text of ['0', '-1', '4097', 'many'])
    expect(() => amountFrom('memory', text, 2)).toThrow(
      `--memory: expected a number greater than 0, got ${text}`,
    );
});

it.each([
  [{ slices: '0' }, '--slices: expected a whole number from 1 to'],
  [{ cpus: '0' }, '--cpus: expected a number greater than 0, got 0'],
  [{ memory: '0' }, '--memory: expected a number greater than 0, got 0'],
  [{}, 'weir.txt: expected a scenario file of YAML or JSON'],
])('refuses %j', async (given, message) => {
  const usual = { launcher: 'k8s', scenario: 'weir.txt', slices: '2' };
  await expect(emitVerb.run({ ...usual, ...given })).rejects.toThrow(message);
});

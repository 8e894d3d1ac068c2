// @long 40 s
import { expect, it, vi } from 'vitest';
import { examineVirtual, neighboursPlan, type SharedServer } from './shared-server.fixture.ts';

vi.setConfig({ testTimeout: 900_000 });

const seeds = Array.from({ length: 20 }, (_, index) => 1000 + index);

const verdictsOf = async (policy: SharedServer['policy']) => {
  const verdicts: Record<string, number> = {};
  for (const seed of seeds) {
    const plan = neighboursPlan({ b: { rate: 20 }, a: { users: 24 } }, seed);
    const server = { policy, workers: 8, mean: 100 };
    const { verdict } = await examineVirtual(server, plan, { pairs: 12 });
    verdicts[verdict] = (verdicts[verdict] ?? 0) + 1;
  }
  return verdicts;
};

it.each([
  ['shared', 'moved'],
  ['per-key', 'isolated'],
  // No request is interrupted for one of another key, so the wait for the end of one moves the quiet one.
  ['weighted', 'moved'],
] as const)('recognizes a %s queue in 19 of 20 runs: %s', async (policy, expected) => {
  const verdicts = await verdictsOf(policy);
  expect(verdicts[expected], JSON.stringify(verdicts)).toBeGreaterThanOrEqual(19);
});

it('says that 429s come from the noise only where the key kept its own limit', async () => {
  const demands = { b: { rate: 2 }, a: { rate: 10 } } as const;
  const causeOf = async (by: 'key' | 'all', limit: number, declared: number) => {
    const limited = { workers: 8, mean: 100, policy: 'per-key', perMinute: { limit, by } } as const;
    const changes = { block: 60_000, settle: 60_000, pairs: 3 };
    return (await examineVirtual(limited, neighboursPlan(demands, 1, declared), changes)).refusals;
  };
  // All keys share 300 a minute, of which b needs 120 and may use 300.
  const shared = await causeOf('all', 300, 300);
  expect(shared).toMatchObject({ cause: 'noise', alone: 0, explained: 0 });
  expect(shared.noisy).toBeGreaterThan(100);
  // Each key has 60 a minute, and b sends 120.
  const own = await causeOf('key', 60, 60);
  expect(own).toMatchObject({ cause: 'own' });
  expect(own.alone).toBeGreaterThan(100);
});

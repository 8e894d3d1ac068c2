import { describe, expect, it } from 'vitest';
import { loadDuration, type Plan, planHash, planSchema } from './plan.ts';
import { milliseconds, perSecond } from './quantity.ts';
import { samplePlan } from './sample-plan.ts';

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .map(([key, entry]) => [key, reversed(entry)] as const)
      .toReversed(),
  );
};

describe('a plan', () => {
  it('survives JSON and its own schema unchanged', () => {
    const plan = samplePlan();
    expect(planSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it('has a hash that does not depend on the order of its fields', () => {
    expect(planHash(reversed(samplePlan()) as Plan)).toBe(planHash(samplePlan()));
    expect(planHash(samplePlan())).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has another hash when anything differs, the order of a list included', () => {
    const { keys, seed } = samplePlan();
    const hashes = [
      {},
      { seed: seed + 1 },
      { keys: keys.toReversed() },
      { headers: { a: 'b' } },
    ].map((differing) => planHash(samplePlan(differing)));
    expect(new Set(hashes).size).toBe(hashes.length);
  });
});

describe('a load', () => {
  const users = { users: 2, thinkTime: milliseconds(0) };
  it.each([
    [
      {
        kind: 'open' as const,
        spacing: 'even' as const,
        curve: [1000, 2500].map((duration) => ({
          from: perSecond(1),
          to: perSecond(2),
          duration: milliseconds(duration),
        })),
      },
      3500,
    ],
    [{ kind: 'closed' as const, ...users, duration: milliseconds(9), rampUp: milliseconds(4) }, 9],
    [{ kind: 'iterations' as const, ...users, iterations: 5, maxDuration: milliseconds(8) }, 8],
  ])('of kind $kind lasts as long as it says', (load, duration) => {
    expect(loadDuration(load)).toBe(duration);
  });
});

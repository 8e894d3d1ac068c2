import { drawEntry, ordinalOf } from './request-content.ts';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Load, Plan } from '../model/plan/plan.ts';
import { milliseconds } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Traffic } from '../model/workload/traffic.ts';

const models = (weight: number): Traffic => ({ kind: 'models', weight });

/** A stage for each mix. */
const planOf = (seed: number, users: number | null, ...mixes: readonly Traffic[][]): Plan => {
  const plan = samplePlan();
  const [stage] = plan.stages;
  const load: Load =
    users === null
      ? stage!.load
      : {
          kind: 'closed',
          users,
          duration: milliseconds(1000),
          thinkTime: milliseconds(0),
          rampUp: milliseconds(0),
        };
  return { ...plan, seed, stages: mixes.map((traffic) => ({ ...stage!, load, traffic })) };
};

describe('the ordinal of a request', () => {
  it('is its index, or its iteration for a user, where there is one entry', () => {
    const [only] = [models(1)];
    const open = planOf(1, null, [only]);
    expect(ordinalOf(open, { stage: 0, index: 7 }, only)).toBe(7);
    const closed = planOf(1, 3, [only]);
    expect(ordinalOf(closed, { stage: 0, index: 7 }, only)).toBe(2);
  });

  it('counts the earlier requests of its entry, in any order of calls', () => {
    const sample = fc.record({
      seed: fc.nat(),
      users: fc.option(fc.integer({ min: 1, max: 4 })),
      asked: fc.array(fc.record({ stage: fc.nat(1), index: fc.nat(60) }), { minLength: 1 }),
    });
    fc.assert(
      fc.property(sample, ({ seed, users, asked }) => {
        const plan = planOf(seed, users, [models(1), models(3)], [models(3), models(1), models(2)]);
        const entryOf = (stage: number, index: number): Traffic =>
          drawEntry(plan, { stage, index }).traffic;
        for (const { stage, index } of asked) {
          const traffic = entryOf(stage, index);
          const before = Array.from({ length: index }, (_, each) => each).filter(
            (each) =>
              each % (users ?? 1) === index % (users ?? 1) && entryOf(stage, each) === traffic,
          );
          expect(ordinalOf(plan, { stage, index }, traffic)).toBe(before.length);
        }
      }),
    );
  });
});

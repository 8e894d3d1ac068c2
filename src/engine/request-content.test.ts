import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Load, Plan } from '../model/plan/plan.ts';
import { instant, milliseconds } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import type { Traffic } from '../model/workload/traffic.ts';
import { fakeSliceOptions } from './fake-run.fixture.ts';
import { drawEntry, drawRequestContent, ordinalOf } from './request-content.ts';

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

  it('is none for a request of another entry', () => {
    const [one, other] = [models(1), models(1)];
    const plan = planOf(1, null, [one, other]);
    const drawn = drawEntry(plan, { stage: 0, index: 4 }).traffic;
    expect(() => ordinalOf(plan, { stage: 0, index: 4 }, drawn === one ? other : one)).toThrow(
      'request 0-4 belongs to another entry',
    );
  });
});

describe('the key of a request', () => {
  it('is one of its population, by the weights that it has there', () => {
    const base = planOf(3, null, [models(1)], [models(1)]);
    const [first, second] = base.stages;
    const population = (name: string, keys: Readonly<Record<string, number>>) => ({
      name,
      after: milliseconds(0),
      keys: Object.entries(keys).map(([key, weight]) => ({ name: key, weight })),
      retry: null,
    });
    const options = fakeSliceOptions({
      ...base,
      stages: [
        { ...first!, population: 'both' },
        { ...second!, population: 'one' },
      ],
      populations: [population('both', { a: 1, b: 9 }), population('one', { b: 1 })],
    });
    const keysOf = (stage: number) =>
      Array.from(
        { length: 100 },
        (_, index) =>
          drawRequestContent(options, { stage, index, due: instant(0) }).credential.value,
      );
    const [mixed, single] = [keysOf(0), keysOf(1)];
    expect(new Set(single)).toEqual(new Set(['key-b']));
    // About ten of a hundred; 25 or more would be drawn by chance only once in 76,000 seeds.
    const ofFirst = mixed.filter((key) => key === 'key-a').length;
    expect(ofFirst).toBeGreaterThan(0);
    expect(ofFirst).toBeLessThan(25);
  });
});

describe('the content of a request', () => {
  const contentOf = (index: number) =>
    drawRequestContent(fakeSliceOptions(planOf(3, null, [models(1)])), {
      stage: 0,
      index,
      due: instant(0),
    });

  it('has its own id, and values for templates: its index, and a UUID of version 8', () => {
    for (let index = 0; index < 20; index += 1) {
      const { requestId, values, ordinal } = contentOf(index);
      expect([requestId, values().index, ordinal()]).toEqual([`r-0-${index}`, index, index]);
      const { uuid } = values();
      expect(uuid).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
      // All but the four bits of the version and the two of the variant are those of the id's hash.
      const digits = BigInt(`0x${uuid.replaceAll('-', '')}`);
      const hash = createHash('sha256').update(requestId).digest('hex');
      const [head, middle, tail] = [hash.slice(0, 12), hash.slice(12, 15), hash.slice(15, 31)];
      const mask = ~((0xfn << 76n) | (3n << 62n));
      expect(digits & mask).toBe(BigInt(`0x${head}0${middle}${tail}`) & mask);
    }
  });
});

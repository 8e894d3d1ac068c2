// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { failAll, fakeWorld } from '../../engine/fake-world.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { targetPlaceOfKey } from '../../model/plan/targets.ts';
import type { WireRequest } from '../../model/observation/exchange.ts';
import { readScenario } from '../../scenario/read-scenario.ts';

const targets = ['t0', 't1', 't2'] as const;
const loads = [
  'load: { kind: constant, rate: 20/s, duration: 2s }',
  'after: 300ms, load: { kind: poisson, rate: 30/s, duration: 1s }, retry: { attempts: 3, base: 10ms }',
  'load: { kind: closed, users: 3, duration: 1s }, retry: { attempts: 2, base: 10ms }',
  "keys: '${env:OWN}', load: { kind: iterations, users: 2, iterations: 20 }",
];

/** A population by its place in `loads`, and the target that it names. */
type Assigned = readonly [load: number, target: (typeof targets)[number]];

const planOf = (assigned: readonly Assigned[]): Plan => {
  const named = targets.filter((name) => assigned.some(([, target]) => target === name));
  const needsCommon = named.some((name) =>
    assigned.some(([load, target]) => target === name && load !== 3),
  );
  const read = readScenario({
    text: `traffic: [{ kind: chat, model: m, prompts: [one, two, three, four, five] }]
${needsCommon ? "keys: [{ name: x, key: '${env:X}' }, { name: y, key: '${env:Y}' }]" : ''}
targets: { ${named.map((name, i) => `${name}: 'http://127.0.0.1:${i + 1}/v1'`).join(', ')} }
populations:
${assigned.map(([load, target]) => `  - { name: p${load}, target: ${target}, ${loads[load]} }`).join('\n')}
`,
    name: 's.yaml',
    environment: { X: 'x', Y: 'y', OWN: 'own' },
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.plan;
};

/** Sends a plan in a fake world, where every request is refused, and some are tried again, and returns what each target got. */
const run = (plan: Plan) => {
  const world = fakeWorld();
  const got = new Map<string, WireRequest[]>(plan.targets!.map(({ name }) => [name, []]));
  const transports = plan.targets!.map(({ name }): typeof world.transport => ({
    send: (request, observer) => {
      got.get(name)!.push(request);
      return world.transport.send(request, observer);
    },
    connectAhead: (count) => world.transport.connectAhead(count),
    notes: () => [],
    close: () => world.transport.close(),
  }));
  const options = {
    ...fakeSliceOptions(plan),
    credentials: plan.keys.map((key) => ({
      name: key.name,
      weight: key.weight,
      value: `value of ${key.name}`,
      target: targetPlaceOfKey(plan, key),
    })),
    targets: plan.targets!.map(({ name }) => ({ auth: undefined, headers: { 'x-of': name } })),
  };
  const running = runSlice(options, { clock: world.clock, transports, observe: () => undefined });
  void running.done;
  failAll(world, 503, '{"error":{}}');
  return got;
};

const assignment = fc
  .uniqueArray(fc.tuple(fc.nat(loads.length - 1), fc.constantFrom(...targets)), {
    minLength: 1,
    selector: ([load]) => load,
  })
  .map((assigned): readonly Assigned[] => assigned);

describe('targets by name', () => {
  it('get the requests of their populations with their own keys and headers only', () => {
    fc.assert(
      fc.property(assignment, (assigned) => {
        const plan = planOf(assigned);
        for (const [name, requests] of run(plan)) {
          expect(requests.length).toBeGreaterThan(10);
          const ownKey = new RegExp(`^Bearer value of .*@${name}$`);
          const foreign = requests.filter(
            ({ headers }) =>
              !ownKey.test(String(headers['authorization'])) || headers['x-of'] !== name,
          );
          expect(foreign).toEqual([]);
        }
      }),
      { numRuns: 25 },
    );
  });

  it('get the same bytes whichever other targets and populations there are', () => {
    const bytesOf = (plan: Plan, target: string): readonly string[] =>
      run(plan)
        .get(target)!
        .map(({ method, path, headers, body }) =>
          JSON.stringify([method, path, headers, String(body)]),
        )
        .toSorted();
    fc.assert(
      fc.property(assignment, fc.constantFrom(...targets), (assigned, target) => {
        const own = assigned.filter(([, name]) => name === target);
        fc.pre(own.length > 0);
        expect(bytesOf(planOf(own), target)).toEqual(bytesOf(planOf(assigned), target));
      }),
      { numRuns: 15 },
    );
  });
});

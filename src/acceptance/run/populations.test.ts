// @gate 1 s
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { forecastPlan } from '../../engine/forecast/forecast-plan.ts';
import { fakeSliceOptions } from '../../engine/fake-run.fixture.ts';
import { failAll, fakeWorld } from '../../engine/fake-world.fixture.ts';
import { runSlice } from '../../engine/run-slice.ts';
import type { Observation } from '../../model/observation/observation.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { sampleTrace } from '../../model/workload/sample-trace.fixture.ts';
import { milliseconds } from '../../model/quantity.ts';
import { readScenario } from '../../scenario/read-scenario.ts';
import { createWorkload } from '../../workload/create-workload.ts';

/** Populations of all sorts, each written on one line. */
const written: Readonly<Record<string, string>> = {
  even: 'load: { kind: constant, rate: 20/s, duration: 2s }',
  late: 'after: 700ms, load: { kind: poisson, rate: 30/s, duration: 1s }',
  users: 'load: { kind: closed, users: 3, duration: 1500ms }, retry: { attempts: 2 }',
  shared: 'after: 100ms, load: { kind: iterations, users: 4, iterations: 17 }',
  stages:
    'stages: [{ name: a, load: { kind: gamma, rate: 20/s, shape: 0.5, duration: 1s } }, { name: b, load: { kind: constant, rate: 5/s, duration: 1s }, traffic: [{ kind: models }] }]',
  keyed:
    "keys: [{ name: k1, key: '${env:A}', weight: 2 }, { name: k2, key: '${env:B}' }], load: { kind: constant, rate: 10/s, duration: 2s }",
};
const names = Object.keys(written);
const commonKeys = "keys: [{ name: x, key: '${env:A}' }, { name: y, key: '${env:B}' }]";

const planOf = (populations: readonly string[]): Plan => {
  const read = readScenario({
    text: `target: http://127.0.0.1:1/v1
traffic:
  - { kind: chat, model: m, prompts: [one, two, three, four, five] }
  - { kind: chat-stream, model: n, prompt: { tokens: { kind: uniform, min: 5, max: 50 }, turns: { count: 3, answer: 5 } }, maxTokens: 9 }
${populations.every((name) => name === 'keyed') ? '' : commonKeys}
seed: 7
populations:
${populations.map((name) => `  - { name: ${name}, ${written[name]} }`).join('\n')}
`,
    name: 's.yaml',
    environment: { A: 'a', B: 'b' },
  });
  if (!read.ok) throw new Error(JSON.stringify(read.problems));
  return read.plan;
};

const workloadOf = (plan: Plan) =>
  createWorkload(plan, {
    wordsFor: () => ({ words: 'a b c d e f g', keepsLeadingSpace: true }),
    datasetOf: () => {
      throw new Error('the plan has no datasets');
    },
    traceOf: () => sampleTrace,
  });

/** Sends a slice of a plan in a fake world that answers each request 40 ms after it was sent. */
const run = (plan: Plan, slice = { index: 0, count: 1 }) => {
  const world = fakeWorld();
  const observations: Observation[] = [];
  const credentials = plan.keys.map(({ name, weight }) => ({ name, weight, value: `key-${name}` }));
  const options = { ...fakeSliceOptions(plan, slice), credentials, workload: workloadOf(plan) };
  const running = runSlice(options, {
    clock: world.clock,
    transports: [world.transport],
    observe: (observation) => observations.push(observation),
  });
  void running.done;
  failAll(world, 500, '{"error":{"message":"no"}}');
  const populationOf = new Map(
    observations.map((each) => [each.requestId, plan.stages[each.stage]!.population!]),
  );
  const requests = world.sent.map(({ at, request }) => ({
    at,
    population: populationOf.get(request.headers['x-request-id']!)!,
    bytes: JSON.stringify([request.method, request.path, request.headers, String(request.body)]),
  }));
  return { observations, requests };
};

const ofPopulation = (requests: ReturnType<typeof run>['requests'], name: string) =>
  requests.filter(({ population }) => population === name).map(({ at, bytes }) => [at, bytes]);

describe('populations of a run', () => {
  it('send the same bytes at the same moments whichever others there are, in any order', () => {
    const whole = run(planOf(names)).requests;
    for (const name of names) expect(ofPopulation(whole, name).length).toBeGreaterThan(5);
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 1 }), (some) => {
        const { requests } = run(planOf(some));
        for (const name of some)
          expect(ofPopulation(requests, name)).toEqual(ofPopulation(whole, name));
      }),
      { numRuns: 12 },
    );
  });

  it('draw differently although they are written alike', () => {
    const bodies = (name: string): readonly string[] => {
      const plan = planOf(['even']);
      const renamed = readScenario({
        text: JSON.stringify({
          target: 'http://127.0.0.1:1/v1',
          traffic: [{ kind: 'chat', model: 'm', prompts: ['one', 'two', 'three', 'four'] }],
          populations: [{ name, load: { kind: 'constant', rate: '20/s', duration: '2s' } }],
        }),
        name: 's.json',
        environment: { WEIR_API_KEY: 'k' },
      });
      if (!renamed.ok) throw new Error(plan.name);
      return run(renamed.plan).requests.map(({ bytes }) => bytes.slice(bytes.indexOf('messages')));
    };
    expect(bodies('red')).not.toEqual(bodies('blue'));
  });

  it('are the same for several slices as for one: whole and disjoint', () => {
    // Users who share iterations take them in turns, so with slices another user may send one.
    const plan = planOf(names.filter((name) => name !== 'shared'));
    const whole = run(plan).observations.map(({ requestId }) => requestId);
    for (const count of [2, 3]) {
      const parts = Array.from({ length: count }, (_, index) =>
        run(plan, { index, count }).observations.map(({ requestId }) => requestId),
      ).flat();
      expect(new Set(parts).size).toBe(parts.length);
      expect(parts.toSorted()).toEqual(whole.toSorted());
    }
  });

  it('start later by "after", which moves no other', () => {
    const dues = (text: string) => {
      const plan = planOf(['even', 'late']);
      const after = text === '' ? milliseconds(0) : milliseconds(700);
      const populations = plan.populations!.map((each) =>
        each.name === 'late' ? { ...each, after } : each,
      );
      const { observations } = run({ ...plan, populations });
      return Object.groupBy(
        observations.map(({ due, stage, index }) => ({ due, stage, index })),
        ({ stage }) => plan.stages[stage]!.population!,
      );
    };
    const [early, late] = [dues(''), dues('700ms')];
    expect(late['even']).toEqual(early['even']);
    expect(late['late']!.map(({ due }) => Math.round(due))).toEqual(
      early['late']!.map(({ due }) => Math.round(due + 700)),
    );
  });

  it('begin in the order of their due instants when all are late', () => {
    const plan = planOf(['even', 'late', 'keyed']);
    const world = fakeWorld({ sendTakes: 40 });
    runSlice(
      {
        ...fakeSliceOptions(plan),
        workload: workloadOf(plan),
        credentials: plan.keys.map((key) => ({ name: key.name, weight: key.weight, value: 'v' })),
      },
      { clock: world.clock, transports: [world.transport], observe: () => {} },
    );
    world.advanceTo(2500);
    const ids = world.sent.map(({ request }) => request.headers['x-request-id']!);
    expect(ids.length).toBeGreaterThan(40);
    const dueOf = new Map(run(plan).observations.map(({ requestId, due }) => [requestId, due]));
    const due = ids.map((id) => dueOf.get(id)!);
    expect(due).toEqual(due.toSorted((one, other) => one - other));
  });

  it('need together what each needs alone', () => {
    const needs = (some: readonly string[]) => {
      const plan = planOf(some);
      const { total, groups } = forecastPlan({
        plan,
        clips: { clipsOf: () => [] },
        workload: workloadOf(plan),
        answerTime: milliseconds(500),
      });
      expect(groups.reduce((sum, { requests }) => sum + requests.sum, 0)).toBe(total.requests.sum);
      return [total.requests.sum, total.input.sum, total.output.sum];
    };
    const alone = names.map((name) => needs([name]));
    const sums = [0, 1, 2].map((field) => alone.reduce((sum, each) => sum + each[field]!, 0));
    expect(needs(names)).toEqual(sums);
  });

  it('are retried each as it says', () => {
    const { observations } = run(planOf(['even', 'users']));
    const attempts = (stage: number): number =>
      Math.max(
        ...observations
          .filter((each) => each.stage === stage)
          .map(({ earlier }) => earlier.length + 1),
      );
    expect([attempts(0), attempts(1)]).toEqual([1, 2]);
  });
});

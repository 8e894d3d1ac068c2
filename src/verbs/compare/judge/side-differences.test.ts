import { describe, expect, it } from 'vitest';
import type { Side } from '../../../judge/series/repetition.ts';
import { healthyResult, sampleGroup } from '../../../judge/sample-result.fixture.ts';
import { planHash } from '../../../model/plan/plan-hash.ts';
import type { Plan, Target } from '../../../model/plan/plan.ts';
import { samplePlan } from '../../../model/plan/sample-plan.fixture.ts';
import type { Result } from '../../../model/result/result.ts';
import type { Traffic } from '../../../model/workload/traffic.ts';
import { hasOneAddressEach, modelsOf, sideDifferences } from './side-differences.ts';

const chat = samplePlan().stages[0]!.traffic.find(({ kind }) => kind === 'chat') as Traffic & {
  kind: 'chat';
};

const withTraffic = (...traffic: readonly Traffic[]): Partial<Plan> => ({
  stages: [{ ...samplePlan().stages[0]!, traffic: [...traffic] }],
});

const url = (host: string): Target => ({ kind: 'url', url: `http://${host}/v1` });

const named = (target: Target) => ({
  name: 'a',
  target,
  wire: samplePlan().wire,
  headers: {},
});

/** A side of one run for each plan; the runs of side b are b1.json, b2.json and so on. */
const sideOf = (name: string, plans: readonly Partial<Plan>[], other: Partial<Result> = {}) =>
  ({
    name,
    repetitions: plans.map((changes, i) => {
      const plan = samplePlan(changes);
      const result = healthyResult({
        plan,
        planHash: planHash(plan),
        groups: [sampleGroup(5)],
        ...other,
      });
      const trust = { level: 'valid', evidence: [], figures: [] } as const;
      return { file: `${name}${i + 1}.json`, result, trust };
    }) as readonly unknown[],
  }) as Side;

const found = (base: readonly Partial<Plan>[], next: readonly Partial<Plan>[]) =>
  sideDifferences(sideOf('b', base), sideOf('n', next));

const namesOf = (base: Partial<Plan>, next: Partial<Plan>): readonly string[] =>
  found([base], [next]).map(({ what }) => what);

describe('two sides', () => {
  it('of one plan do not differ', () => {
    expect(found([{}], [{}, {}])).toEqual([]);
    // A bound decides nothing that is sent.
    expect(namesOf({}, { perRequest: [], workers: 2 })).toEqual([]);
  });

  it('that differ by a target, a model or a seed differ by that alone', () => {
    expect(found([{ seed: 1 }], [{ seed: 2 }])).toEqual([
      { what: 'seed', message: 'the seed differs: 1 in b1.json, 2 in n1.json' },
    ]);
    expect(found([{ target: url('one') }], [{ target: url('two') }])).toEqual([
      {
        what: 'target',
        message: 'the target differs: http://one/v1 in b1.json, http://two/v1 in n1.json',
      },
    ]);
    const of = (model: string) => withTraffic({ ...chat, model });
    expect(found([of('m')], [of('n')])).toEqual([
      { what: 'model', message: 'the model differs: m in b1.json, n in n1.json' },
    ]);
  });

  it('differ by several targets as by one', () => {
    const targets = (host: string) => ({
      targets: [named(url(host))],
    });
    expect(namesOf(targets('one'), targets('two'))).toEqual(['target']);
  });

  it('differ by their plan where anything else of it differs too', () => {
    const hashes = [{}, { inFlight: 99 }].map((each) => planHash(samplePlan(each)).slice(0, 12));
    expect(found([{}], [{ inFlight: 99 }])).toEqual([
      {
        what: 'plan',
        message: `the plan differs (its hash): ${hashes[0]} in b1.json, ${hashes[1]} in n1.json`,
      },
    ]);
    expect(namesOf({}, { inFlight: 99, seed: 2 })).toEqual(['plan', 'seed']);
    expect(namesOf({}, withTraffic({ ...chat, model: 'n', maxTokens: 17 }))).toEqual([
      'plan',
      'model',
    ]);
  });

  it('differ by their slices, which explain no other plan', () => {
    const sliced = (count: number): Partial<Result> => ({
      slices: Array.from({ length: count }, (_, index) => ({
        ...healthyResult().slices[0]!,
        index,
        count,
      })),
    });
    const differing = (changes: Partial<Plan>) =>
      sideDifferences(sideOf('b', [{}]), sideOf('n', [changes], sliced(2)));
    expect(differing({})).toEqual([
      { what: 'slices', message: 'the slices differs: 1 in b1.json, 2 in n1.json' },
    ]);
    // The same models in another order are no other models, and so do not explain another plan.
    const [m, n] = ['m', 'n'].map((model): Traffic => ({ ...chat, model }));
    const ordered = sideDifferences(
      sideOf('b', [withTraffic(m!, n!)]),
      sideOf('n', [withTraffic(n!, m!)], sliced(2)),
    );
    expect(ordered.map(({ what }) => what)).toEqual(['plan', 'slices']);
    expect(differing({ perRequest: [], inFlight: 9 }).map(({ what }) => what)).toEqual([
      'plan',
      'slices',
    ]);
  });

  it('differ once by each thing, in the first run that does, of either side', () => {
    expect(found([{}, { seed: 1 }], [{ seed: 2 }, { seed: 3, inFlight: 9 }])).toEqual([
      { what: 'seed', message: 'the seed differs: 42 in b1.json, 1 in b2.json' },
      { what: 'plan', message: expect.stringMatching(/ in b1\.json, \w{12} in n2\.json$/) },
    ]);
  });

  it('name each run that does not count', () => {
    const partial = { partial: 'stopped by SIGINT' };
    expect(sideDifferences(sideOf('b', [{}], partial), sideOf('n', [{}, {}], partial))).toEqual(
      ['b1', 'n1', 'n2'].map((run) => ({
        what: 'validity',
        message: `${run}.json is partial: stopped by SIGINT`,
      })),
    );
    expect(sideDifferences(sideOf('b', [{}]), sideOf('n', [{}], { groups: [] }))).toEqual([
      { what: 'success', message: 'n1.json has no completed requests' },
    ]);
  });
});

describe('the models of a plan', () => {
  it('are sorted, each once, without traffic that has none', () => {
    const models = { kind: 'models', weight: 1 } as Traffic;
    const of = (...names: readonly string[]) =>
      modelsOf(
        samplePlan(withTraffic(models, ...names.map((model): Traffic => ({ ...chat, model })))),
      );
    expect(of('n', 'm', 'n')).toEqual(['m', 'n']);
    expect(of()).toEqual([]);
    expect(found([withTraffic(models)], [withTraffic(models, chat)])[1]!.message).toBe(
      'the model differs: none in b1.json, publisher/model-8b in n1.json',
    );
  });
});

describe('sides with one address each', () => {
  const of = (...targets: readonly Target[]): Side =>
    sideOf(
      's',
      targets.map((target) => ({ target })),
    );

  it('may have different ones, but no run of a side may have another', () => {
    expect(hasOneAddressEach(of(url('a'), url('a')), of(url('b')))).toBe(true);
    expect(hasOneAddressEach(of(url('a'), url('c')), of(url('b')))).toBe(false);
    expect(hasOneAddressEach(of(url('a')), of(url('b'), url('a')))).toBe(false);
  });

  it('are none where a target has no address, one of several included', () => {
    expect(hasOneAddressEach(of({ kind: 'mock' }), of(url('b')))).toBe(false);
    const several = (...targets: readonly Target[]): Side =>
      sideOf('s', [{ targets: targets.map(named) }]);
    expect(hasOneAddressEach(several(url('a'), url('b')))).toBe(true);
    expect(hasOneAddressEach(several(url('a'), { kind: 'mock' }))).toBe(false);
  });
});

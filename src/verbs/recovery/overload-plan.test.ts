import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Load, Plan } from '../../model/plan/plan.ts';
import { milliseconds, perSecond } from '../../model/quantity.ts';
import { overloadPlan, phasesOf, rateOf, retryIn } from './overload-plan.ts';

const rateWith = (load: object): number => {
  const plan = samplePlan();
  return rateOf({ ...plan, stages: [{ ...plan.stages[0]!, load: load as Load }] });
};

it('multiplies a load at a steady rate, and says of any other what it is', () => {
  expect(rateWith({ kind: 'open', curve: [{ from: 7, to: 7 }] })).toBe(7);
  const steady =
    'load: weir recovery expects a scenario with one load at a steady rate, whose multiple is the overload: constant, poisson or gamma; got ';
  const changing = { kind: 'open', curve: [{ from: 1, to: 7 }] };
  expect(() => rateWith(changing)).toThrow(`${steady}a rate that changes`);
  const steps = { kind: 'open', curve: [...changing.curve, { from: 7, to: 7 }] };
  expect(() => rateWith(steps)).toThrow(`${steady}a rate that changes`);
  expect(() => rateWith({ kind: 'trace' })).toThrow(new RegExp(`${steady}a trace$`));
  for (const kind of ['closed', 'iterations', 'saturate'])
    expect(() => rateWith({ kind })).toThrow(`${steady}${kind}, whose users send less while`);
});

const terms = {
  policies: ['none', 'retry-after', 'backoff'] as const,
  times: 3,
  base: 30_000,
  overload: 10_000,
  watch: 90_000,
  pause: 20_000,
};

it('gives each policy its phases in turn, the first after the warm-up', () => {
  // A turn takes 150 s.
  expect(phasesOf(terms, 2000)).toEqual([
    { policy: 'none', from: 2000, peak: 32_000, gone: 42_000, until: 132_000 },
    { policy: 'retry-after', from: 152_000, peak: 182_000, gone: 192_000, until: 282_000 },
    { policy: 'backoff', from: 302_000, peak: 332_000, gone: 342_000, until: 432_000 },
  ]);
});

it('makes each policy a population, with the load, its multiple and the load again', () => {
  const plan = samplePlan({ objectives: [{}] as never, perRequest: [{}] as never });
  const { stages, populations, retry, objectives, perRequest, warmUp } = overloadPlan(
    plan,
    terms,
    phasesOf(terms, plan.warmUp),
  );
  expect([retry, objectives, perRequest, warmUp]).toEqual([null, [], [], 2000]);
  const steady = (rate: number, duration: number) => [
    { from: perSecond(rate), to: perSecond(rate), duration: milliseconds(duration) },
  ];
  expect(
    stages.map(({ name, population, stream, load }) => ({
      name,
      population,
      stream,
      curve: load.kind === 'open' && load.spacing === 'even' ? load.curve : null,
    })),
  ).toEqual(
    terms.policies.flatMap((population, place) => [
      // The warm-up belongs to the first base.
      {
        name: `${population}/base`,
        population,
        stream: 3 * place,
        curve: steady(3, place === 0 ? 32_000 : 30_000),
      },
      {
        name: `${population}/overload`,
        population,
        stream: 3 * place + 1,
        curve: steady(9, 10_000),
      },
      { name: `${population}/after`, population, stream: 3 * place + 2, curve: steady(3, 90_000) },
    ]),
  );
  for (const { traffic } of stages) expect(traffic).toBe(plan.stages[0]!.traffic);
  const usual = {
    attempts: 3,
    base: 500,
    cap: 8000,
    on: ['limited', 'server-error', 'connect', 'unanswered'],
  };
  const keys = ['main', 'spare'].map((name) => ({ name, weight: 1 }));
  expect(populations).toEqual([
    { name: 'none', after: 0, keys, retry: null },
    { name: 'retry-after', after: 152_000, keys, retry: usual },
    { name: 'backoff', after: 302_000, keys, retry: { ...usual, ignoresWaits: true } },
  ]);
});

it('retries as the scenario says, if it does', () => {
  const retry = { attempts: 5, base: milliseconds(1), cap: milliseconds(2), on: [] };
  expect(retryIn({ retry })).toBe(retry);
  const plan = samplePlan({ retry });
  const { populations } = overloadPlan(plan, terms, phasesOf(terms, 0));
  expect(populations?.map((each) => each.retry)).toEqual([
    null,
    retry,
    { ...retry, ignoresWaits: true },
  ]);
});

it.each<readonly [Partial<Plan>, string]>([
  [{ pace: {} as never }, 'pace: requests that wait for a pace make no overload. Leave "pace" out'],
  [{ populations: [] }, 'populations: weir recovery expects a scenario with one load at a steady'],
  [
    { stages: [...samplePlan().stages, ...samplePlan().stages] },
    'whose multiple is the overload; got 2 stages. Give it a lone "load"',
  ],
])('refuses %j', (changes, message) => {
  const plan = samplePlan(changes);
  expect(() => overloadPlan(plan, terms, phasesOf(terms, 0))).toThrow(message);
});

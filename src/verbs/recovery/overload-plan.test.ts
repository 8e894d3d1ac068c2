import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import type { Load } from '../../model/plan/plan.ts';
import { rateOf } from './overload-plan.ts';

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
  expect(() => rateWith({ kind: 'trace' })).toThrow(new RegExp(`${steady}a trace$`));
  for (const kind of ['closed', 'iterations', 'saturate'])
    expect(() => rateWith({ kind })).toThrow(`${steady}${kind}, whose users send less while`);
});

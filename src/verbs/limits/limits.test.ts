import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { examinationSettingsFrom, type LimitsRequest } from './limits.ts';

const order: LimitsRequest = {
  scenario: undefined,
  target: 'mock',
  set: [],
  key: undefined,
  secondKey: undefined,
  sameTeam: false,
  model: undefined,
  preflight: true,
  window: undefined,
  permitted: undefined,
  checks: undefined,
  price: undefined,
  sustain: undefined,
  quick: false,
  explain: false,
  yes: false,
  out: undefined,
};

it('all problems with the options of an examination are reported at once', () => {
  const wrong = {
    ...order,
    window: 'x',
    permitted: 'foo',
    checks: 'nix',
    price: '3',
    sustain: '0.5',
  };
  expect(() => examinationSettingsFrom(samplePlan(), wrong)).toThrow(
    /^--window: .*\n--class: .*\n--price: .*\n--sustain: .*\n--checks: [^\n]*$/,
  );
});

import { expect, it } from 'vitest';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { examinationSettingsFrom } from './limits.ts';
import { sampleLimitsRequest } from './sample-limits-request.fixture.ts';

it('all problems with the options of an examination are reported at once', () => {
  const wrong = {
    ...sampleLimitsRequest,
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

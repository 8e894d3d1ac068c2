import { describe, expect, it } from 'vitest';
import { probePhases, type ProbePhase } from '../../model/limits/limit-log.ts';
import { milliseconds } from '../../model/quantity.ts';
import { phaseBudget, probeBudgetFor } from '../../verbs/limits/experiment/request-budget.ts';
import { tokenBudget } from '../../verbs/limits/experiment/tokens/token-budget.ts';
import {
  planTokens,
  type TokenPlanTerms,
} from '../../verbs/limits/experiment/tokens/token-plan.ts';

/** What examinations say beforehand that they will send and cost. */

const phases = Object.keys(probePhases) as readonly ProbePhase[];
const rule = (limit: number, window = 60_000) => ({ limit, window: milliseconds(window) });
const price = { input: 150_000, output: 600_000 };

describe('the budget of an examination of requests', () => {
  it.each([
    [{ rule: rule(60), hasSecondKey: true, sustain: 3 }],
    [{ rule: rule(60), hasSecondKey: false, sustain: 3 }],
    [{ rule: rule(7, 10_000), hasSecondKey: true, sustain: 1 }],
    [{ rule: rule(600), hasSecondKey: true, sustain: 0.5 }],
  ])('of %j', (options) => {
    const each = phases.map((phase) => {
      const { usual, most, time } = phaseBudget(phase, { ...options, phases });
      return `${phase}: ${usual} to ${most} in ${Math.round(time)} ms`;
    });
    expect(each).toMatchSnapshot('phases');
    const whole = probeBudgetFor(phases, options, price);
    const sum = (at: 0 | 1): number =>
      each.reduce((all, line) => all + Number(/: (\d+) to (\d+)/.exec(line)![at + 1]), 0);
    expect([whole.typical, whole.max]).toEqual([sum(0), sum(1)]);
    expect(whole).toMatchSnapshot('whole');
  });

  it('is less for some phases, and has no cost without a price', () => {
    const options = { rule: rule(60), hasSecondKey: false, sustain: 3 };
    expect(probeBudgetFor(['even'], options, null)).toMatchSnapshot('one phase');
    expect(probeBudgetFor(['provocation', 'sustained'], options, price)).toMatchSnapshot(
      'two phases',
    );
  });
});

const terms: TokenPlanTerms = {
  rule: { tokens: 20_000, requests: 60, window: 60_000 },
  context: null,
  isQuick: false,
  sustain: 0,
  hasOtherModel: true,
  hasAudio: true,
};

describe('the plan and the budget of an examination of tokens', () => {
  it.each([
    {},
    { hasOtherModel: false },
    { hasAudio: false },
    { isQuick: true },
    { sustain: 2 },
    { context: 4000 },
    { rule: { tokens: 2_000_000, requests: null, window: 60_000 } },
    { rule: { tokens: 900_000, requests: 600, window: 10_000 } },
    { context: 300 },
    { rule: { tokens: 3000, requests: 60, window: 60_000 } },
  ])('with %j', (changes) => {
    const plan = planTokens({ ...terms, ...changes });
    expect(plan).toMatchSnapshot('plan');
    if (typeof plan !== 'string') expect(tokenBudget(plan, price)).toMatchSnapshot('budget');
  });
});

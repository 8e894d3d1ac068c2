import { describe, expect, it } from 'vitest';
import { tokenBudget } from './token-budget.ts';
import { planTokens, type TokenPlanTerms } from './token-plan.ts';

const terms: TokenPlanTerms = {
  rule: { tokens: 2_000_000, requests: 60, window: 60_000 },
  context: null,
  isQuick: false,
  sustain: 0,
  hasOtherModel: true,
  hasAudio: true,
};

const planOf = (changes: Partial<TokenPlanTerms>) => planTokens({ ...terms, ...changes });

describe('the plan of an examination of tokens', () => {
  it('has prompts of a 24th of the limit in bursts, and at most 48 of 60 requests', () => {
    const plan = planOf({});
    if (typeof plan === 'string') throw new Error(plan);
    expect(plan.large).toBe(83_333);
    expect(plan.burstRequests).toBeLessThanOrEqual(48 + 6);
  });

  it('says that a context below the limit’s share of a request cannot reach the limit', () => {
    expect(planOf({ context: 33_000 })).toMatch(
      /^the limit of 2,000,000 tokens cannot bind: 60 requests of at most 33,000 tokens/,
    );
  });

  it('says which context is enough if a burst would need too many requests', () => {
    const refusal = planOf({ context: 40_000 });
    if (typeof refusal !== 'string') throw new Error('a plan');
    const [, enough = ''] =
      /a model with a context of ([\d,]+) tokens is enough$/.exec(refusal) ?? [];
    expect(planOf({ context: Number(enough.replaceAll(',', '')) + 2000 })).toBeTypeOf('object');
  });

  it('costs what its tokens cost', () => {
    const plan = planOf({});
    if (typeof plan === 'string') throw new Error(plan);
    const { tokens, cost } = tokenBudget(plan, { input: 150_000, output: 600_000 });
    expect(cost!.usual).toBeCloseTo(tokens.usual * 0.15, -3);
    expect(tokenBudget(plan, null).cost).toBeNull();
  });

  it.each([
    ['reserves a prompt before it answers', 369, 127_551, 13.09],
    ['charges a chat at its end', 371, 130_541, 13.99],
    ['charges a prompt and then its answer', 371, 129_323, 14.09],
    ['charges an estimate that it corrects later', 370, 123_185, 14.21],
  ])(
    'prints what real software used within a tenth: one that %s',
    (_, requests, tokens, minutes) => {
      const rule = { tokens: 20_000, requests: 60, window: 60_000 };
      const plan = planOf({ rule, hasOtherModel: false, hasAudio: false });
      if (typeof plan === 'string') throw new Error(plan);
      const budget = tokenBudget(plan, null);
      const shares = [
        requests / budget.requests.usual,
        tokens / budget.tokens.usual,
        (minutes * 60_000) / budget.time,
      ];
      for (const share of shares) expect(Math.abs(share - 1)).toBeLessThan(0.1);
    },
  );
});

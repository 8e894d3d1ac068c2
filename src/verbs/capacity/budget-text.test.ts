import { expect, it } from 'vitest';
import type { SliceOptions } from '../../engine/slice-options.ts';
import { samplePlan } from '../../model/plan/sample-plan.fixture.ts';
import { budgetText } from './budget-text.ts';

/** Options of requests of 3 tokens in (“Say yes.”) and at most 16 out. */
const orderOf = (
  price?: { readonly input: number; readonly output: number },
  changes: object = {},
) => {
  const [stage] = samplePlan().stages;
  const [entry] = stage!.traffic.filter(({ kind }) => kind !== 'models');
  const traffic = [{ ...entry!, ...(price === undefined ? {} : { price }), ...changes }];
  return {
    plan: samplePlan({ stages: [{ ...stage!, traffic } as typeof stage & object] }),
    runId: 'r',
    credentials: [{ name: 'main', weight: 1, value: '' }],
  } as unknown as SliceOptions;
};
const budget = { requests: 1000, seconds: 90, steps: 40 };

it('a budget names requests, the tokens of their prompts and longest answers, money and time', () => {
  expect(budgetText(orderOf({ input: 1_000_000, output: 2_000_000 }), budget)).toBe(
    'at most 1,000 requests; about 19,000 tokens for them; about 0.035 of your currency; at most 90 s of load and the answers’ own time',
  );
});

it('answers that nothing bounds count no tokens, and their cost is unknown', () => {
  const unbounded = orderOf({ input: 1_000_000, output: 2_000_000 }, { maxTokens: null });
  expect(budgetText(unbounded, budget)).toContain('; about 3,000 tokens for them; money unknown: ');
});

it('money is unknown without a price', () => {
  expect(budgetText(orderOf(), budget)).toContain(
    '; about 19,000 tokens for them; money unknown: the scenario names no price, or nothing bounds the answers; ',
  );
});

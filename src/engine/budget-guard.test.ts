import type { Answer, Outcome } from '../model/observation/outcome.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Bills } from '../model/measures/bill.ts';
import type { Observation } from '../model/observation/observation.ts';
import { recordBills } from '../record/bills.ts';
import type { Arrival } from '../model/workload/arrival.ts';
import type { Budget } from '../model/plan/budget.ts';
import type { Plan } from '../model/plan/plan.ts';
import { instant } from '../model/quantity.ts';
import { samplePlan } from '../model/plan/sample-plan.fixture.ts';
import { BudgetGuard } from './budget-guard.ts';
import { createSharedBudget, type SliceOptions } from './slice-options.ts';

const never = (): never => {
  throw new Error('nothing else is asked for');
};

/** Requests of 3 tokens in (“Say yes.”), at most 16 out, at 1 and 2 micro-units a token: 35 micro-units. */
const orderOf = (slice = { index: 0, count: 1 }): SliceOptions => {
  const plan = samplePlan();
  const price = { input: 1_000_000, output: 2_000_000 };
  const stages = plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map((entry) => (entry.kind === 'models' ? entry : { ...entry, price })),
  })) as Plan['stages'];
  return {
    plan: { ...plan, stages },
    slice,
    runId: 'r',
    credentials: [{ name: 'main', weight: 1, value: '' }],
    targets: [{ auth: undefined, headers: {} }],
    userAgent: '',
    clips: { clipsOf: never },
    redact: (text) => text,
    workload: { chatContentFor: never, traceOf: never },
  };
};

/** The same requests, whose answers nothing bounds. */
const unboundedOrder = (): SliceOptions => {
  const order = orderOf();
  const stages = order.plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map((entry) => ({ ...entry, maxTokens: null })),
  })) as Plan['stages'];
  return { ...order, plan: { ...order.plan, stages } };
};

const nothing: Budget = { requests: null, tokens: null, cost: null };
const arrival = (index: number): Arrival => ({ stage: 0, index, due: instant(0) });

/** How many attempts fit, each with this outcome at once. */
const fitting = (guard: BudgetGuard, outcome: Outcome | null): number => {
  for (let index = 0; ; index += 1) {
    const reservation = guard.reserve(arrival(index));
    if (reservation === null || index === 10_000) return index;
    if (outcome !== null) reservation.settle(outcome);
  }
};

const completed: Outcome = {
  kind: 'completed',
  answer: { tokens: { input: 3, output: 2, source: 'usage' }, cost: 7 } as Answer,
};
const answerOf = (outcome: Outcome): Answer =>
  outcome.kind === 'completed' ? outcome.answer : (undefined as never);
const broken: Outcome = { kind: 'broken', cause: 'reset', detail: '', partial: null };
const limited = { kind: 'limited' } as Outcome;
/** An answer that is not what its entry expects, or a stream that broke off, with the usage of a completed one. */
const failed = [
  { kind: 'malformed', issue: 'not-as-expected', detail: '', partial: answerOf(completed) },
  { kind: 'broken', cause: 'reset', detail: '', partial: answerOf(completed) },
] as const satisfies readonly Outcome[];

describe('the budget guard of a slice', () => {
  it.each([
    ['under way', null, { tokens: 190 }, 10],
    ['with shorter answers', completed, { tokens: 100 }, 17],
    ['that broke, whose server may have gone on', broken, { tokens: 190 }, 10],
    ['under way, in money', null, { cost: 350 }, 10],
    ['with shorter answers, in money', completed, { cost: 70 }, 6],
    ['that failed with their usage', failed[0], { tokens: 100 }, 17],
    ['that broke after their usage, in money', failed[1], { cost: 70 }, 6],
    ['refused', limited, { requests: 12, tokens: 19 }, 12],
  ])('admits what the limits allow: %s', (_, outcome, budget, expected) => {
    const guard = new BudgetGuard(orderOf(), { ...nothing, ...budget });
    expect(fitting(guard, outcome)).toBe(expected);
    expect(guard.exhausted).toBe(expected === 12 ? 'requests' : Object.keys(budget)[0]);
  });

  it('has spent what the bill says, and the reservation of each attempt of unknown cost', () => {
    const outcomes = [completed, ...failed, broken, limited];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...outcomes), { minLength: 1 }), (drawn) => {
        const sharedBudget = createSharedBudget({ index: 0, count: 1 });
        const guard = new BudgetGuard({ ...orderOf(), sharedBudget }, { ...nothing, cost: 1e9 });
        const bills: Bills = {};
        for (const [index, outcome] of drawn.entries()) {
          guard.reserve(arrival(index))!.settle(outcome);
          const facts = { traffic: 'chat', sent: instant(0), earlier: [], outcome };
          recordBills(bills, facts as unknown as Observation);
        }
        const all = Object.values(bills);
        const known = all.reduce((sum, { cost }) => sum + cost, 0);
        const unknown = all.reduce((sum, bill) => sum + bill.unknown, 0);
        expect(Number(sharedBudget.counters[2])).toBe(known + 35 * unknown);
      }),
    );
  });

  it('reserves the dearest class that a token can have', () => {
    const options = orderOf();
    const price = {
      input: 1_000_000,
      output: 2_000_000,
      cacheWrite: 5_000_000,
      reasoning: 4_000_000,
    };
    const stages = options.plan.stages.map((stage) => ({
      ...stage,
      traffic: stage.traffic.map((entry) => ({ ...entry, price })),
    })) as Plan['stages'];
    const dear = { ...options, plan: { ...options.plan, stages } };
    // 3 × 5 + 16 × 4 = 79 micro-units each.
    expect(fitting(new BudgetGuard(dear, { ...nothing, cost: 2 * 79 }), null)).toBe(2);
    expect(fitting(new BudgetGuard(dear, { ...nothing, cost: 2 * 79 - 1 }), null)).toBe(1);
  });

  it('reserves only the prompt of an answer that nothing bounds', () => {
    const guard = new BudgetGuard(unboundedOrder(), { ...nothing, tokens: 3 * 5 });
    expect(fitting(guard, null)).toBe(5);
  });

  it('divides the whole budget among all slices', () => {
    const each = [0, 1, 2].map((index) =>
      fitting(new BudgetGuard(orderOf({ index, count: 3 }), { ...nothing, requests: 11 }), null),
    );
    expect(each).toEqual([4, 4, 3]);
  });

  it.each([
    ['requests', { requests: 11 }, 11],
    ['tokens', { tokens: 19 * 7 + 18 }, 7],
  ])('is shared by slices with one shared budget: %s', (unit, budget, expected) => {
    const sharedBudget = createSharedBudget({ index: 0, count: 1 });
    const guards = [0, 1, 2].map(
      (index) =>
        new BudgetGuard(
          { ...orderOf({ index, count: 3 }), sharedBudget },
          { ...nothing, ...budget },
        ),
    );
    const gone = Array.from({ length: 30 }, (_, i) => guards[i % 3]!.reserve(arrival(i)) !== null);
    expect(gone.indexOf(false)).toBe(expected);
    expect(gone.filter(Boolean)).toHaveLength(expected);
    // A slice that was not refused itself sees it as well.
    expect(guards.map(({ exhausted }) => exhausted)).toEqual([unit, unit, unit]);
  });

  it('keeps slices with a shared budget within their part of it', () => {
    const sharedBudget = createSharedBudget({ index: 1, count: 2 });
    const guard = new BudgetGuard(
      { ...orderOf({ index: 3, count: 4 }), sharedBudget },
      { ...nothing, requests: 11 },
    );
    expect(fitting(guard, null)).toBe(5);
  });

  it('admits no attempt after the first that does not fit', () => {
    const guard = new BudgetGuard(orderOf(), { ...nothing, tokens: 19 });
    const reservation = guard.reserve(arrival(0));
    expect(guard.reserve(arrival(1))).toBeNull();
    reservation?.settle(limited);
    expect(guard.reserve(arrival(2))).toBeNull();
  });
});

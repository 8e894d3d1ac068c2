import { describe, expect, it } from 'vitest';
import type { Arrival } from '../model/arrival.ts';
import type { Budget } from '../model/budget.ts';
import type { Answer, Outcome } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { instant } from '../model/quantity.ts';
import { samplePlan } from '../model/sample-plan.ts';
import { openAccount, Purse } from './purse.ts';
import type { SliceOrder } from './slice-order.ts';

const never = (): never => {
  throw new Error('nothing else is asked for');
};

/** Requests of 3 tokens in (“Say yes.”), at most 16 out, at 1 and 2 micro-units a token: 35 micro-units. */
const orderOf = (slice = { index: 0, count: 1 }): SliceOrder => {
  const plan = samplePlan();
  const price = { input: 1_000_000, output: 2_000_000 };
  const stages = plan.stages.map((stage) => ({
    ...stage,
    traffic: stage.traffic.map((entry) => (entry.kind === 'models' ? entry : { ...entry, price })),
  })) as Plan['stages'];
  return {
    plan: { ...plan, stages },
    ...{ slice, runId: 'r', credentials: [{ name: 'main', weight: 1, value: '' }], headers: {} },
    ...{ userAgent: '', clips: { clipsOf: never }, redact: (text) => text },
    workload: { ask: never, traceOf: never },
  };
};

const nothing: Budget = { requests: null, tokens: null, cost: null };
const arrival = (index: number): Arrival => ({ stage: 0, index, due: instant(0) });

/** How many attempts fit, each ending so at once. */
const fitting = (purse: Purse, outcome: Outcome | null): number => {
  for (let index = 0; ; index += 1) {
    const stake = purse.take(arrival(index));
    if (stake === null || index === 10_000) return index;
    if (outcome !== null) stake.settle(outcome);
  }
};

const completed: Outcome = {
  kind: 'completed',
  answer: { tokens: { input: 3, output: 2, source: 'usage' }, cost: 7 } as Answer,
};
const broken: Outcome = { kind: 'broken', cause: 'reset', detail: '', partial: null };
const limited = { kind: 'limited' } as Outcome;

describe('the purse of a slice', () => {
  it.each([
    ['under way', null, { tokens: 190 }, 10],
    ['with shorter answers', completed, { tokens: 100 }, 17],
    ['that broke, whose server may have gone on', broken, { tokens: 190 }, 10],
    ['under way, in money', null, { cost: 350 }, 10],
    ['with shorter answers, in money', completed, { cost: 70 }, 6],
    ['refused', limited, { requests: 12, tokens: 19 }, 12],
  ])('lets only so many go that the caps hold: %s', (_, outcome, budget, expected) => {
    const purse = new Purse(orderOf(), { ...nothing, ...budget });
    expect(fitting(purse, outcome)).toBe(expected);
    expect(purse.empty).toBe(expected === 12 ? 'requests' : Object.keys(budget)[0]);
  });

  it('is, of all slices together, the whole budget', () => {
    const each = [0, 1, 2].map((index) =>
      fitting(new Purse(orderOf({ index, count: 3 }), { ...nothing, requests: 11 }), null),
    );
    expect(each).toEqual([4, 4, 3]);
  });

  it.each([
    ['requests', { requests: 11 }, 11],
    ['tokens', { tokens: 19 * 7 + 18 }, 7],
  ])('is one for slices that share an account: %s', (unit, budget, expected) => {
    const account = openAccount({ index: 0, count: 1 });
    const purses = [0, 1, 2].map(
      (index) => new Purse({ ...orderOf({ index, count: 3 }), account }, { ...nothing, ...budget }),
    );
    const gone = Array.from({ length: 30 }, (_, i) => purses[i % 3]!.take(arrival(i)) !== null);
    expect(gone.indexOf(false)).toBe(expected);
    expect(gone.filter(Boolean)).toHaveLength(expected);
    // Those that were not refused themselves are told as well.
    expect(purses.map(({ empty }) => empty)).toEqual([unit, unit, unit]);
  });

  it('of slices that share an account is no more than that account’s part of the budget', () => {
    const account = openAccount({ index: 1, count: 2 });
    const purse = new Purse(
      { ...orderOf({ index: 3, count: 4 }), account },
      { ...nothing, requests: 11 },
    );
    expect(fitting(purse, null)).toBe(5);
  });

  it('stays shut once something did not fit', () => {
    const purse = new Purse(orderOf(), { ...nothing, tokens: 19 });
    const stake = purse.take(arrival(0));
    expect(purse.take(arrival(1))).toBeNull();
    stake?.settle(limited);
    expect(purse.take(arrival(2))).toBeNull();
  });
});

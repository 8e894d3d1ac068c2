import type { Arrival } from '../model/arrival.ts';
import { type Budget, type BudgetUnit, budgetUnits } from '../model/budget.ts';
import type { Outcome } from '../model/observation.ts';
import { needsOf } from '../traffic/needs.ts';
import { contentOf } from './content.ts';
import type { SliceOrder } from './slice-order.ts';

/** What one attempt may spend, or has spent. */
type Spending = Readonly<Record<BudgetUnit, number>>;

/** What was set aside for an attempt; `settle` gives back what it did not spend. */
export interface Stake {
  settle(outcome: Outcome): void;
}

/** What an attempt has spent; where the server may be at work still, or has not said, all that was set aside. */
const spentOf = (aside: Spending, outcome: Outcome): Spending => {
  if (outcome.kind === 'limited' || outcome.kind === 'refused') {
    return { requests: 1, tokens: 0, cost: 0 };
  }
  if (outcome.kind !== 'completed') return aside;
  const { answer } = outcome;
  const { input = null, output = 0 } = 'tokens' in answer ? answer.tokens : {};
  return {
    requests: 1,
    tokens: input === null ? aside.tokens : input + output,
    cost: ('cost' in answer ? answer.cost : 0) ?? aside.cost,
  };
};

/**
 * Keeps a slice within its part of the run's budget: an attempt goes only if what it may spend at most
 * still fits beside what is spent and what others under way may spend. So the caps hold for whatever
 * bounds its own answers; prompts that are only estimated can pass them by what the estimate lacks.
 */
export class Purse {
  readonly #order: SliceOrder;
  readonly #caps: Budget;
  readonly #spent: Record<BudgetUnit, number> = { requests: 0, tokens: 0, cost: 0 };
  /** The cap that the first attempt that did not fit would have passed. */
  #empty: BudgetUnit | null = null;

  constructor(order: SliceOrder, budget: Budget) {
    const { index, count } = order.slice;
    const shareOf = (cap: number | null): number | null =>
      cap === null ? null : Math.floor(cap / count) + (index < cap % count ? 1 : 0);
    this.#order = order;
    this.#caps = {
      requests: shareOf(budget.requests),
      tokens: shareOf(budget.tokens),
      cost: shareOf(budget.cost),
    };
  }

  get empty(): BudgetUnit | null {
    return this.#empty;
  }

  /** Sets aside what the next attempt at an arrival may spend; `null` if it does not fit. */
  take(arrival: Arrival): Stake | null {
    const { traffic, draw, ask } = contentOf(this.#order, arrival);
    const { input, output, cost } = needsOf(traffic, { draw, ask, clips: this.#order.clips });
    const aside = { requests: 1, tokens: input + (output ?? 0), cost: cost ?? 0 };
    this.#empty ??=
      budgetUnits.find(
        (unit) => this.#spent[unit] + aside[unit] > (this.#caps[unit] ?? Number.POSITIVE_INFINITY),
      ) ?? null;
    if (this.#empty !== null) return null;
    this.#move(aside, 1);
    return {
      settle: (outcome) => {
        this.#move(aside, -1);
        this.#move(spentOf(aside, outcome), 1);
      },
    };
  }

  #move(spending: Spending, sign: 1 | -1): void {
    for (const unit of budgetUnits) this.#spent[unit] += sign * spending[unit];
  }
}

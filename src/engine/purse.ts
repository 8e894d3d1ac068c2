import { type Arrival, shareOf, type Slice } from '../model/arrival.ts';
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

/** The cell of the cap that ended the spending, after those of the units: 1 for the first unit, 0 for none. */
const emptyCell = budgetUnits.length;

/**
 * What is spent, and set aside, of one part of a budget. Its cells are whole numbers in memory that
 * threads can share, so that several slices spend of one part as one would.
 */
export interface Account {
  /** Whose part of the budget it is. */
  readonly slice: Slice;
  readonly cells: BigInt64Array<SharedArrayBuffer>;
}

export const openAccount = (slice: Slice): Account => ({
  slice,
  cells: new BigInt64Array(new SharedArrayBuffer(8 * (budgetUnits.length + 1))),
});

/**
 * Keeps what spends of one account within its part of the run's budget: an attempt goes only if what it
 * may spend at most still fits beside what is spent and what others under way may spend. So the caps
 * hold for whatever bounds its own answers; prompts that are only estimated can pass them by what the
 * estimate lacks.
 */
export class Purse {
  readonly #order: SliceOrder;
  readonly #caps: Budget;
  readonly #cells: Account['cells'];

  constructor(order: SliceOrder, budget: Budget) {
    const { slice, cells } = order.account ?? openAccount(order.slice);
    this.#order = order;
    this.#cells = cells;
    this.#caps = {
      requests: shareOf(slice, budget.requests),
      tokens: shareOf(slice, budget.tokens),
      cost: shareOf(slice, budget.cost),
    };
  }

  /** The cap that the first attempt that did not fit would have passed, whichever slice made it. */
  get empty(): BudgetUnit | null {
    return budgetUnits[Number(Atomics.load(this.#cells, emptyCell)) - 1] ?? null;
  }

  /** Sets aside what the next attempt at an arrival may spend; `null` if it does not fit. */
  take(arrival: Arrival): Stake | null {
    if (this.empty !== null) return null;
    const { traffic, ...drawing } = contentOf(this.#order, arrival);
    const { input, output, cost } = needsOf(traffic, { ...drawing, clips: this.#order.clips });
    const aside = { requests: 1, tokens: input + (output ?? 0), cost: cost ?? 0 };
    // Added before it is looked at: of two slices that want the last of it, never do both get it.
    const passed = this.#move(aside, 1);
    if (passed !== null) {
      this.#move(aside, -1);
      Atomics.compareExchange(this.#cells, emptyCell, 0n, BigInt(budgetUnits.indexOf(passed) + 1));
      return null;
    }
    return {
      settle: (outcome) => {
        this.#move(aside, -1);
        this.#move(spentOf(aside, outcome), 1);
      },
    };
  }

  /** The first cap that is passed with it. */
  #move(spending: Spending, sign: 1 | -1): BudgetUnit | null {
    const sums = budgetUnits.map((unit, cell) => {
      const moved = BigInt(sign * spending[unit]);
      return Number(Atomics.add(this.#cells, cell, moved) + moved);
    });
    return (
      budgetUnits.find(
        (unit, cell) => sums[cell]! > (this.#caps[unit] ?? Number.POSITIVE_INFINITY),
      ) ?? null
    );
  }
}

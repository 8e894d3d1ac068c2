import { type SharedBudget, createSharedBudget } from './shared-budget.ts';
import type { Outcome } from '../model/observation/outcome.ts';
import { type Arrival, sliceShareOf } from '../model/workload/arrival.ts';
import { type Budget, type BudgetUnit, budgetUnits } from '../model/plan/budget.ts';
import { requestNeedsOf } from '../traffic/request/request-needs.ts';
import { drawRequestContent } from './request-content.ts';
import type { SliceOptions } from './slice-options.ts';

/** What one attempt may spend, or has spent. */
type BudgetAmounts = Readonly<Record<BudgetUnit, number>>;

/** What was set aside for an attempt; `settle` gives back what it did not spend. */
export interface BudgetReservation {
  settle(outcome: Outcome): void;
}

/** What an attempt has spent; where the server may be at work still, or has not said, all that was set aside. */
const amountsSpent = (reserved: BudgetAmounts, outcome: Outcome): BudgetAmounts => {
  if (outcome.kind === 'limited' || outcome.kind === 'refused') {
    return { requests: 1, tokens: 0, cost: 0 };
  }
  if (outcome.kind !== 'completed') return reserved;
  const { answer } = outcome;
  const { input = null, output = 0 } = 'tokens' in answer ? answer.tokens : {};
  return {
    requests: 1,
    tokens: input === null ? reserved.tokens : input + output,
    cost: ('cost' in answer ? answer.cost : 0) ?? reserved.cost,
  };
};

/** The cell of the cap that ended the spending, after those of the units: 1 for the first unit, 0 for none. */
const exhaustedCell = budgetUnits.length;

/**
 * Keeps what spends of one account within its part of the run's budget: an attempt goes only if what it
 * may spend at most still fits beside what is spent and what others under way may spend. So the caps
 * hold for whatever bounds its own answers; prompts that are only estimated can pass them by what the
 * estimate lacks.
 */
export class BudgetGuard {
  readonly #options: SliceOptions;
  readonly #caps: Budget;
  readonly #counters: SharedBudget['counters'];

  constructor(options: SliceOptions, budget: Budget) {
    const { slice, counters } = options.sharedBudget ?? createSharedBudget(options.slice);
    this.#options = options;
    this.#counters = counters;
    this.#caps = {
      requests: sliceShareOf(slice, budget.requests),
      tokens: sliceShareOf(slice, budget.tokens),
      cost: sliceShareOf(slice, budget.cost),
    };
  }

  /** The cap that the first attempt that did not fit would have passed, whichever slice made it. */
  get exhausted(): BudgetUnit | null {
    return budgetUnits[Number(Atomics.load(this.#counters, exhaustedCell)) - 1] ?? null;
  }

  /** Sets aside what the next attempt at an arrival may spend; `null` if it does not fit. */
  reserve(arrival: Arrival): BudgetReservation | null {
    if (this.exhausted !== null) return null;
    const { traffic, ...drawing } = drawRequestContent(this.#options, arrival);
    const { input, output, cost } = requestNeedsOf(traffic, {
      ...drawing,
      clips: this.#options.clips,
    });
    const reserved = { requests: 1, tokens: input + (output ?? 0), cost: cost ?? 0 };
    // Added before it is looked at: of two slices that want the last of it, never do both get it.
    const passed = this.#add(reserved, 1);
    if (passed !== null) {
      this.#add(reserved, -1);
      Atomics.compareExchange(
        this.#counters,
        exhaustedCell,
        0n,
        BigInt(budgetUnits.indexOf(passed) + 1),
      );
      return null;
    }
    return {
      settle: (outcome) => {
        this.#add(reserved, -1);
        this.#add(amountsSpent(reserved, outcome), 1);
      },
    };
  }

  /** The first cap that is passed with it. */
  #add(spending: BudgetAmounts, sign: 1 | -1): BudgetUnit | null {
    const sums = budgetUnits.map((unit, counter) => {
      const change = BigInt(sign * spending[unit]);
      return Number(Atomics.add(this.#counters, counter, change) + change);
    });
    return (
      budgetUnits.find(
        (unit, counter) => sums[counter]! > (this.#caps[unit] ?? Number.POSITIVE_INFINITY),
      ) ?? null
    );
  }
}

import type { Outcome } from '../model/observation/outcome.ts';
import { type Arrival, sliceShareOf } from '../model/workload/arrival.ts';
import { type Budget, type BudgetUnit, budgetUnits } from '../model/plan/budget.ts';
import { requestNeedsOf } from '../traffic/request/request-needs.ts';
import { drawRequestContent } from './request-content.ts';
import { createSharedBudget, type SharedBudget, type SliceOptions } from './slice-options.ts';

/** The amounts that one attempt may spend, or has spent. */
type BudgetAmounts = Readonly<Record<BudgetUnit, number>>;

/** The amounts reserved for an attempt. `settle` returns the unused part. */
export interface BudgetReservation {
  settle(outcome: Outcome): void;
}

/** Returns what an attempt spent: the whole reservation if the server may still be working or reports no usage. */
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

/** The cell that says which cap was reached: 0 for none, 1 for the cap of the first unit. */
const exhaustedCell = budgetUnits.length;

/**
 * Keeps slices within the budget that they share. An attempt is sent only if its largest possible spending fits into
 * what is left. So a cap is never exceeded where the length of answers is bounded. Where a prompt's tokens are only
 * estimated, it can be exceeded by the error of the estimate.
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

  /** The cap, in any slice, that a request would have exceeded; `null` for none. */
  get exhausted(): BudgetUnit | null {
    return budgetUnits[Number(Atomics.load(this.#counters, exhaustedCell)) - 1] ?? null;
  }

  /** Reserves the largest amounts that the next attempt of an arrival can spend; returns `null` if they do not fit. */
  reserve(arrival: Arrival): BudgetReservation | null {
    if (this.exhausted !== null) return null;
    const { traffic, ...drawing } = drawRequestContent(this.#options, arrival);
    const { input, output, cost } = requestNeedsOf(traffic, {
      ...drawing,
      clips: this.#options.clips,
    });
    const reserved = { requests: 1, tokens: input + (output ?? 0), cost: cost ?? 0 };
    // The amount is added before it is compared, so that two slices never both get the last of a budget.
    const exceeded = this.#add(reserved, 1);
    if (exceeded !== null) {
      this.#add(reserved, -1);
      const cell = BigInt(budgetUnits.indexOf(exceeded) + 1);
      Atomics.compareExchange(this.#counters, exhaustedCell, 0n, cell);
      return null;
    }
    return {
      settle: (outcome) => {
        this.#add(reserved, -1);
        this.#add(amountsSpent(reserved, outcome), 1);
      },
    };
  }

  /** Adds an amount to the counters or subtracts it. Returns the first cap that is then exceeded. */
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

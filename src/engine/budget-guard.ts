import { type Outcome, partialOf, type TokenCounts } from '../model/observation/outcome.ts';
import { type Arrival, sliceShareOf } from '../model/workload/arrival.ts';
import { type Budget, type BudgetUnit, budgetUnits } from '../model/plan/budget.ts';
import { requestNeedsOf } from '../traffic/request/request-needs.ts';
import { drawRequestContent } from './request-content.ts';
import { createSharedBudget, type SharedBudget, type SliceOptions } from './slice-options.ts';

/** The requests, tokens and cost that one attempt may spend, or has spent. */
type BudgetAmounts = Readonly<Record<BudgetUnit, number>>;

/** The reservation of an attempt. `settle` replaces the reserved amounts by the amounts that the attempt spent. */
export interface BudgetReservation {
  settle(outcome: Outcome): void;
}

/**
 * Returns the number of tokens of a request and its answer; `null` if the server did not report them. For a complete
 * stream, the number of its events can replace the number of output tokens.
 */
const tokensSpent = ({ input, output, source }: TokenCounts, { kind }: Outcome): number | null =>
  input === null || (kind !== 'completed' && source !== 'usage') ? null : input + output;

/**
 * Returns the amounts that an attempt spent. A refused attempt spent one request and no tokens. For any other attempt,
 * the amounts that the server reported count, even if the answer failed. An amount that the server did not report
 * counts as reserved, because the server may still be working.
 */
const amountsSpent = (reserved: BudgetAmounts, outcome: Outcome): BudgetAmounts => {
  if (outcome.kind === 'limited' || outcome.kind === 'refused') {
    return { requests: 1, tokens: 0, cost: 0 };
  }
  const answer = outcome.kind === 'completed' ? outcome.answer : partialOf(outcome);
  if (answer === null) return reserved;
  return {
    requests: 1,
    tokens: ('tokens' in answer ? tokensSpent(answer.tokens, outcome) : 0) ?? reserved.tokens,
    cost: ('cost' in answer ? answer.cost : 0) ?? reserved.cost,
  };
};

/** The counter at this index says which cap was reached: 0 for no cap, 1 for the cap of the first unit, and so on. */
const exhaustedCell = budgetUnits.length;

/**
 * Keeps slices within their shared budget. An attempt is sent only if the remaining budget covers the maximum that the
 * attempt can spend. If the length of answers is bounded, only a wrong estimate of prompt tokens can therefore exceed a
 * cap.
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

  /** The unit whose cap stopped a request in any slice; `null` if no cap stopped a request. */
  get exhausted(): BudgetUnit | null {
    return budgetUnits[Number(Atomics.load(this.#counters, exhaustedCell)) - 1] ?? null;
  }

  /**
   * Reserves the maximum that the next attempt of an arrival can spend. Returns `null` if the remaining budget is
   * smaller.
   */
  reserve(arrival: Arrival): BudgetReservation | null {
    if (this.exhausted !== null) return null;
    const { traffic, ...drawing } = drawRequestContent(this.#options, arrival);
    const { input, output, highestCost } = requestNeedsOf(traffic, {
      ...drawing,
      clips: this.#options.clips,
    });
    const reserved = { requests: 1, tokens: input + (output ?? 0), cost: highestCost ?? 0 };
    // The amount is added before the sum is compared with the cap. Otherwise, two slices could both get the last part
    // of a budget.
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

  /**
   * Adds an amount to the counters, or subtracts an amount. Returns the first unit whose counter then exceeds its cap;
   * otherwise `null`.
   */
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

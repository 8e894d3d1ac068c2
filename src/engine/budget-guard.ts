import { type Outcome, partialOf, type TokenCounts } from '../model/observation/outcome.ts';
import { type Arrival, sliceShareOf } from '../model/workload/arrival.ts';
import { type Budget, type BudgetUnit, budgetUnits } from '../model/plan/budget.ts';
import { requestNeedsOf } from '../traffic/request/request-needs.ts';
import { drawRequestContent } from './request-content.ts';
import { createSharedBudget, type SharedBudget, type SliceOptions } from './slice-options.ts';

/** The requests, tokens and cost that one attempt may spend, or has spent. */
type BudgetAmounts = Readonly<Record<BudgetUnit, number>>;

/** The amounts reserved for an attempt. `settle` returns the unused amounts to the budget. */
export interface BudgetReservation {
  settle(outcome: Outcome): void;
}

/**
 * Returns the tokens of an answer; `null` if the server did not report them. For a complete stream, the number of its
 * events may stand in.
 */
const tokensSpent = ({ input, output, source }: TokenCounts, { kind }: Outcome): number | null =>
  input === null || (kind !== 'completed' && source !== 'usage') ? null : input + output;

/**
 * Returns what an attempt spent, as reports count it: the amounts that the server reported, even for a failed answer.
 * If the server reported nothing, the whole reservation counts, since the server may still be working.
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

/** The index of the cell that holds the reached cap: 0 for none, 1 for the cap of the first unit, and so on. */
const exhaustedCell = budgetUnits.length;

/**
 * Keeps slices within the budget that they share. An attempt is sent only if the rest of the budget covers the most
 * that the attempt can spend. So a cap is never exceeded if the length of answers is bounded. If a prompt's tokens are
 * only estimated, the error of the estimate can exceed a cap.
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

  /** The cap that stopped a request in any slice; `null` for none. */
  get exhausted(): BudgetUnit | null {
    return budgetUnits[Number(Atomics.load(this.#counters, exhaustedCell)) - 1] ?? null;
  }

  /** Reserves the most that the next attempt of an arrival can spend; returns `null` if less is left in the budget. */
  reserve(arrival: Arrival): BudgetReservation | null {
    if (this.exhausted !== null) return null;
    const { traffic, ...drawing } = drawRequestContent(this.#options, arrival);
    const { input, output, highestCost } = requestNeedsOf(traffic, {
      ...drawing,
      clips: this.#options.clips,
    });
    const reserved = { requests: 1, tokens: input + (output ?? 0), cost: highestCost ?? 0 };
    // The amount is added before the sum is compared with the cap. So two slices cannot both get the last of a budget.
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

  /** Adds an amount to the counters, or subtracts it from them. Returns the first cap that the counters then exceed. */
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

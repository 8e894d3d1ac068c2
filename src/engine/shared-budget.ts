import { budgetUnits } from '../model/plan/budget.ts';
import type { Slice } from '../model/workload/arrival.ts';

/**
 * What is spent, and set aside, of one part of a budget. Its cells are whole numbers in memory that
 * threads can share, so that several slices spend of one part as one would.
 */
export interface SharedBudget {
  /** Whose part of the budget it is. */
  readonly slice: Slice;
  readonly counters: BigInt64Array<SharedArrayBuffer>;
}

export const createSharedBudget = (slice: Slice): SharedBudget => ({
  slice,
  counters: new BigInt64Array(new SharedArrayBuffer(8 * (budgetUnits.length + 1))),
});

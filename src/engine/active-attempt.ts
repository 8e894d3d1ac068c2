import type { BudgetReservation } from './budget-guard.ts';
import type { PaceSlot } from './pace-queue.ts';
import type { RequestContent } from './request-content.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';

/** A request in flight, with its slot where there is a pace and its reservation where there is a budget. */
export interface ActiveAttempt {
  readonly lifecycle: RequestLifecycle;
  readonly content: RequestContent;
  readonly slot: PaceSlot | null;
  readonly reservation: BudgetReservation | null;
}

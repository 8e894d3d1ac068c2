import type { BudgetUnit } from '../model/plan/budget.ts';
import { timeText } from '../report/text/number-text.ts';

/** Returns the sentence which says that a load ended early because its budget was spent. `loadEnded` is in ms. */
export const budgetEndText = (loadEnded: number, unit: BudgetUnit): string =>
  `ended after ${timeText(loadEnded)}, since the next request might have passed budget.${unit}`;

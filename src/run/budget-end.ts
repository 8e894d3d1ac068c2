import type { BudgetUnit } from '../model/plan/budget.ts';
import { timeText } from '../report/text/number-text.ts';

/** Returns the sentence that a load ended after a time in ms because its budget was spent. */
export const budgetEndText = (loadEnded: number, unit: BudgetUnit): string =>
  `ended after ${timeText(loadEnded)}, since the next request might have passed budget.${unit}`;

import type { BudgetUnit } from '../../model/plan/budget.ts';
import type { ForecastAmount, AmountBasis } from '../../model/plan/forecast.ts';
import { countText, moneyText } from '../text/number-text.ts';

const basisPrefix = {
  exact: '',
  'at-most': 'at most ',
  estimate: 'about ',
} as const satisfies Record<AmountBasis, string>;

/** A sum, marked if it is an estimate or a bound. */
const amountText = (
  { sum, basis, unknown }: ForecastAmount,
  text: (sum: number) => string,
): string => {
  if (unknown > 0 && sum === 0) return 'unknown';
  const unknownText = unknown > 0 ? ` + ${countText(unknown)} unknown` : '';
  return `${basisPrefix[basis]}${text(sum)}${unknownText}`;
};

export const countAmountText = (amount: ForecastAmount): string => amountText(amount, countText);
export const moneyAmountText = (amount: ForecastAmount): string => amountText(amount, moneyText);

/** The amount that a plan needs of a cap, with its unit. */
export const budgetNeedText = (unit: BudgetUnit, need: ForecastAmount): string =>
  unit === 'cost' ? moneyAmountText(need) : `${countAmountText(need)} ${unit}`;

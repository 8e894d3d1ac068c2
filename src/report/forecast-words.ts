import type { BudgetUnit } from '../model/budget.ts';
import type { Amount, Basis } from '../model/forecast.ts';
import { countText, moneyText } from './number-text.ts';

const sureness = {
  exact: '',
  'at-most': 'at most ',
  estimate: 'about ',
} as const satisfies Record<Basis, string>;

/** A sum with how sure it is. */
const amountText = ({ sum, basis, unknown }: Amount, text: (sum: number) => string): string => {
  if (unknown > 0 && sum === 0) return 'unknown';
  const rest = unknown > 0 ? ` + ${countText(unknown)} unknown` : '';
  return `${sureness[basis]}${text(sum)}${rest}`;
};

export const countedText = (amount: Amount): string => amountText(amount, countText);
export const paidText = (amount: Amount): string => amountText(amount, moneyText);

/** What is needed of a cap, with its unit. */
export const needText = (unit: BudgetUnit, need: Amount): string =>
  unit === 'cost' ? paidText(need) : `${countedText(need)} ${unit}`;

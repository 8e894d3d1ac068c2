import { roughMoneyText } from '../../../report/run/bill-blocks.ts';
import { column, type Column, section, table } from '../../../report/document/document.ts';
import { countText } from '../../../report/text/number-text.ts';
import type { CheckReport, CheckRow, MonthlyLoad, TokenBounds } from '../model/check-report.ts';

/** This file shows what differences in the usage would cost in a month of the scenario's load. */

/** A check that found more tokens than are possible. */
interface Excess extends TokenBounds {
  readonly id: string;
}

/** Whether the excess of a check is the same for each request. Any other excess grows with the tokens. */
const isPerRequest = ({ id }: Excess): boolean => id === 'usage.template';

/** The excess in these checks tells nothing about other requests, since it comes from a tool or a short answer. */
const unlike = ['usage.tools', 'usage.text'];

const excessesIn = (rows: readonly CheckRow[]): readonly Excess[] =>
  rows.flatMap(({ id, outcome, bounds }) =>
    (outcome === 'violation' || outcome === 'deviation') &&
    bounds !== undefined &&
    bounds.reported > bounds.most &&
    bounds.most > 0 &&
    !unlike.includes(id)
      ? [{ id, ...bounds }]
      : [],
  );

const tokensOf = (month: MonthlyLoad, excess: Excess): number => {
  const more = excess.reported - excess.most;
  return isPerRequest(excess) ? more * month.requests : (more / excess.most) * month[excess.of];
};

const columnsFor = (month: MonthlyLoad): readonly Column<Excess>[] => [
  column.name('Check', ({ id }) => id),
  column.text('Tokens', ({ of }) => of),
  column.number('Reported', ({ reported }) => countText(reported)),
  column.number('At most', ({ most }) => countText(most)),
  column.number('Tokens a month', (each) => countText(tokensOf(month, each))),
  column.number(`Cost a month (${month.currency})`, (each) =>
    roughMoneyText((tokensOf(month, each) * month.prices[each.of]) / 1e6),
  ),
];

/** Returns the table of costs; `null` if no check found an excess, or if the load or its prices are unknown. */
export const monthSection = ({ rows, month }: Pick<CheckReport, 'rows' | 'month'>) => {
  const excesses = excessesIn(rows);
  if (month === undefined || excesses.length === 0) return null;
  const caption = `What 30 days of the scenario’s load would cost more if all requests were counted so: ${countText(month.requests)} requests`;
  return section('A month of such differences', [table(caption, columnsFor(month), excesses)]);
};

import { markdownTable } from '../harness/markdown-table.ts';
import type { TokenExaminationRow } from './examine-token-case.ts';
import { heldText, isHeld } from './run-token-cases.ts';

const isFaulty = ({ fault, leak }: TokenExaminationRow): boolean => fault !== null || leak !== null;

/** Whether what Weir said of a gateway is true: `WRONG` if it accused one without a fault, or acquitted one with it. */
const assessmentOf = (row: TokenExaminationRow): 'true' | 'not decided' | 'WRONG' => {
  if (row.verdict === 'undecided') return 'not decided';
  return (row.verdict === 'violated') === isFaulty(row) ? 'true' : 'WRONG';
};

const amountText = (amount: number): string => String(Math.round(amount * 10) / 10);

/** How far what was used is from what was printed, as a share of it, at most. */
const budgetError = ({ budget: { printed, used } }: TokenExaminationRow): number =>
  Math.max(...printed.map((amount, i) => Math.abs(used[i]! / amount - 1)));

/** A row for each examination, and what they show together. */
export const examinationTable = (rows: readonly TokenExaminationRow[]): string => {
  const head =
    'limiter|version|planted, or its own leak|promised|exit|assessment|reasons|admitted in a minute|tokens in a minute|requests, tokens, minutes: printed|used'.split(
      '|',
    );
  const lines = rows.map((row) => [
    row.limiter,
    row.version,
    row.fault ?? row.leak ?? '',
    row.isPromised ? 'yes' : '',
    String(row.code),
    assessmentOf(row),
    row.reasons.join('; '),
    heldText(row.held.requests, row.held.requests.truth),
    heldText(row.held.tokens, row.held.tokens.truth),
    row.budget.printed.map(amountText).join(', '),
    row.budget.used.map(amountText).join(', '),
  ]);
  const count = (matches: (row: TokenExaminationRow) => boolean): number =>
    rows.filter(matches).length;
  const keeping = rows.filter((row) => !isFaulty(row));
  const faulty = rows.filter(isFaulty);
  const counts = [
    `${keeping.length} without a fault: ${keeping.filter(({ verdict }) => verdict === 'kept').length} kept, ${keeping.filter(({ verdict }) => verdict === 'violated').length} accused`,
    `${faulty.length} with a fault: ${faulty.filter(({ verdict }) => verdict === 'violated').length} accused, ${faulty.filter(({ verdict }) => verdict === 'kept').length} called kept`,
    `the gateway’s log within the bounds: ${count(({ held }) => Object.values(held).every((figure) => isHeld(figure, figure.truth)))} of ${rows.length}`,
    `requests, tokens and minutes within 10 % of what was printed: ${count((row) => budgetError(row) <= 0.1)}`,
  ];
  return `${markdownTable(head, lines)}\n${counts.map((each) => `- ${each}\n`).join('')}`;
};

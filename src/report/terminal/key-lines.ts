import { isViolation } from '../../model/limit-log.ts';
import type { Result } from '../../model/result.ts';
import { keyBudgets, leftText, limitedText, limitText, remainingText } from '../key-budget.ts';
import { printable } from '../printable.ts';
import { keyFindings, keyLimitSentences, runLimitsVerdict } from '../run-limit-words.ts';
import { paragraph, type Screen, type Style } from './screen.ts';

type Lines = readonly string[];

const outcomeStyle = {
  kept: 'good',
  violated: 'bad',
  undecided: 'warning',
} as const satisfies Record<NonNullable<ReturnType<typeof runLimitsVerdict>>['outcome'], Style>;

/** Whether the limits were kept, where the scenario asks; nothing where it does not. */
export const limitVerdictLines = (screen: Screen, result: Result): Lines => {
  const verdict = runLimitsVerdict(result);
  if (verdict === null) return [];
  // Behind the colon stand keys, whose names are what they are.
  const text = verdict.text.replace(/^[^:]*/, (words) => words.toUpperCase());
  return [screen.paint(outcomeStyle[verdict.outcome], printable(`■ ${text}`))];
};

const findingLines = (screen: Screen, result: Result, key: string): Lines => {
  const limits = result.limits?.keys.find((each) => each.key === key);
  if (limits === undefined) return [];
  const isJudged = result.limits?.judged === true;
  const told = keyLimitSentences(limits).flatMap((text) =>
    paragraph(screen, printable(text), { indent: 4 }),
  );
  const broken = keyFindings(limits)
    .filter(({ finding }) => finding === 'refuted')
    .flatMap((check) => {
      const isBad = isJudged && isViolation(check);
      return paragraph(screen, printable(`${isBad ? '✗' : '!'} ${check.id}: ${check.observed}`), {
        indent: 4,
        style: isBad ? 'bad' : 'warning',
      });
    });
  return [...told, ...broken];
};

/** What each key was allowed and told, and what is proved of it. */
export const keyLines = (screen: Screen, result: Result): Lines =>
  keyBudgets(result).flatMap((budget) => {
    const limits = (['requests', 'tokens'] as const).map((name) => {
      const allowance = budget[name];
      return `${name}: ${limitText(allowance)}; lowest left ${remainingText(allowance)}`;
    });
    const blind = leftText(budget);
    return [
      ...paragraph(screen, printable(`${budget.key}: 429s ${limitedText(budget)}`), {
        style: budget.limited === 0 ? 'plain' : 'warning',
      }),
      ...[...limits, ...(blind === null ? [] : [blind])].flatMap((text) =>
        paragraph(screen, printable(text), { indent: 4 }),
      ),
      ...findingLines(screen, result, budget.key),
    ];
  });

import { isViolation } from '../../model/limits/limit-log.ts';
import type { Result } from '../../model/result/result.ts';
import {
  keyUsages,
  unrecordedText,
  limitedText,
  limitText,
  remainingText,
} from '../summary/key-usage.ts';
import { printable } from '../text/printable.ts';
import {
  keyClaimsToShow,
  keyLimitSentences,
  runLimitsVerdict,
} from '../summary/run-limits-text.ts';
import { paragraph, type TerminalLayout, type TextStyle } from './terminal-layout.ts';

type Lines = readonly string[];

const outcomeStyle = {
  kept: 'good',
  violated: 'bad',
  undecided: 'warning',
} as const satisfies Record<NonNullable<ReturnType<typeof runLimitsVerdict>>['outcome'], TextStyle>;

/** Whether the limits were kept, where the scenario asks; nothing where it does not. */
export const limitVerdictLines = (layout: TerminalLayout, result: Result): Lines => {
  const verdict = runLimitsVerdict(result);
  if (verdict === null) return [];
  // Behind the colon stand keys, whose names are what they are.
  const text = verdict.text.replace(/^[^:]*/, (words) => words.toUpperCase());
  return [layout.paint(outcomeStyle[verdict.outcome], printable(`■ ${text}`))];
};

const findingLines = (layout: TerminalLayout, result: Result, key: string): Lines => {
  const limits = result.limits?.keys.find((each) => each.key === key);
  if (limits === undefined) return [];
  const isJudged = result.limits?.judged === true;
  const limitLines = keyLimitSentences(limits).flatMap((text) =>
    paragraph(layout, printable(text), { indent: 4 }),
  );
  const broken = keyClaimsToShow(limits)
    .filter(({ finding }) => finding === 'refuted')
    .flatMap((check) => {
      const isBad = isJudged && isViolation(check);
      return paragraph(layout, printable(`${isBad ? '✗' : '!'} ${check.id}: ${check.observed}`), {
        indent: 4,
        style: isBad ? 'bad' : 'warning',
      });
    });
  return [...limitLines, ...broken];
};

/** What each key was allowed and told, and what is proved of it. */
export const keyLines = (layout: TerminalLayout, result: Result): Lines =>
  keyUsages(result).flatMap((usage) => {
    const limits = (['requests', 'tokens'] as const).map((name) => {
      const limit = usage[name];
      return `${name}: ${limitText(limit)}; lowest left ${remainingText(limit)}`;
    });
    const unrecorded = unrecordedText(usage);
    return [
      ...paragraph(layout, printable(`${usage.key}: 429s ${limitedText(usage)}`), {
        style: usage.limited === 0 ? 'plain' : 'warning',
      }),
      ...[...limits, ...(unrecorded === null ? [] : [unrecorded])].flatMap((text) =>
        paragraph(layout, printable(text), { indent: 4 }),
      ),
      ...findingLines(layout, result, usage.key),
    ];
  });

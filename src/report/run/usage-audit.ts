import type { UsageAudit, AuditName, UsageCounts } from '../../model/measures/usage-audit.ts';
import { auditNames } from '../../model/measures/usage-audit.ts';
import type { Result } from '../../model/result/result.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  column,
  type Column,
  fold,
  section,
  type Section,
  table,
  text,
} from '../document/document.ts';
import { groupsMatching } from '../../model/result/summary.ts';
import { kindsPresent, measuredOf } from '../summary/figures.ts';
import { countText, plural } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { sumOf } from '../../model/sums.ts';

/** This file compares the reported usage with the answers that were received. */

/**
 * The texts of a check: the compared quantities, the counted difference, the bound, and reasons for a difference other
 * than a wrong count.
 */
interface CheckTexts {
  readonly name: string;
  readonly differs: string;
  readonly bound: string;
  readonly because: string;
}

const checkTexts: Readonly<Record<Exclude<AuditName, 'reasoning'>, CheckTexts>> = {
  text: {
    name: 'Output tokens and the text',
    differs: 'report more output tokens than their text can have',
    bound: 'at most',
    because:
      'Reasoning that is neither shown nor declared does that, a tool that the server ran and does not show, or a count that is too high.',
  },
  limit: {
    name: 'Output tokens and their limit',
    differs: 'ended at their limit and report more output tokens than it',
    bound: 'at most',
    because:
      'A count that is too high does that, special tokens beyond the limit, or a server that does not keep `max_tokens`.',
  },
  events: {
    name: 'Output tokens and token events',
    differs: 'report fewer output tokens than token events came',
    bound: 'events:',
    because: 'A server that divides tokens over events does that, or a count that is too low.',
  },
  prompt: {
    name: 'Input tokens of the same prompt',
    differs: 'report other input tokens than the first answer to the same prompt',
    bound: 'the first answers',
    because:
      'A wrong count does that, a cache whose tokens are left out, several models behind one name, or a target that adds to prompts what varies (a date, a system prompt, results of a search).',
  },
};
const shownChecks = auditNames.filter((check) => check !== 'reasoning');

interface CheckRow {
  readonly kind: TrafficKind;
  readonly check: (typeof shownChecks)[number];
  readonly counts: UsageCounts;
}

/** Adds up the counts of a check; `null` if the check was applied to no answer. */
const countsOf = (audits: readonly UsageAudit[], check: AuditName): UsageCounts | null => {
  const all = audits.flatMap((audit) => audit[check] ?? []);
  if (all.length === 0) return null;
  const total = (of: (counts: UsageCounts) => number): number => sumOf(all, of);
  return {
    answers: total(({ answers }) => answers),
    differing: total(({ differing }) => differing),
    reported: total(({ reported }) => reported),
    bound: total(({ bound }) => bound),
  };
};

const auditsOf = (result: Result, kind: TrafficKind): readonly UsageAudit[] =>
  groupsMatching(result, measuredOf(kind)).flatMap(({ usageAudit }) => usageAudit ?? []);

const rowsOf = (result: Result): readonly CheckRow[] =>
  kindsPresent(result).flatMap((kind) => {
    const audits = auditsOf(result, kind);
    return shownChecks.flatMap((check) => {
      const counts = countsOf(audits, check);
      return counts === null ? [] : [{ kind, check, counts }];
    });
  });

const answersText = (kind: TrafficKind, count: number): string =>
  plural(count, kind === 'chat-stream' ? 'stream' : 'answer');

/** Returns the finding of a check as a sentence; `null` if the check found no difference. */
const findingText = ({ kind, check, counts }: CheckRow): string | null => {
  const { answers, differing, reported, bound } = counts;
  if (differing === 0) return null;
  const { differs, bound: name, because } = checkTexts[check];
  return `${countText(differing)} of ${answersText(kind, answers)} ${differs}: ${countText(reported)} in all, ${name} ${countText(bound)}. ${because}`;
};

const columns: readonly Column<CheckRow>[] = [
  column.name('What was compared', ({ kind, check }) => ({
    text: checkTexts[check].name,
    dot: kind,
  })),
  column.text('Traffic', ({ kind }) => kind),
  column.number('Answers', ({ counts }) => countText(counts.answers)),
  column.number('Differ', ({ counts }) => countText(counts.differing)),
];

const whatNext =
  '`weir check --only usage` sends prompts whose counts are known, and finds smaller differences.';

/** Returns how many answers declare reasoning that did not arrive; `null` if no answer declares such reasoning. */
const hiddenText = (result: Result): string | null => {
  const all = kindsPresent(result).flatMap((kind) => auditsOf(result, kind));
  const counts = countsOf(all, 'reasoning');
  if (counts === null || counts.differing === 0) return null;
  return `${plural(counts.differing, 'answer')} declare reasoning that did not come as text.`;
};

/** Returns a line on how the reported usage differs from the received answers; `null` if there is no difference. */
export const usageSentence = (result: Result): string | null => {
  const found = rowsOf(result).filter(({ counts }) => counts.differing > 0);
  const [first] = found;
  if (first === undefined) return null;
  const { kind, check, counts } = first;
  const more = found.length === 1 ? '' : `, and ${countText(found.length - 1)} more`;
  return `${countText(counts.differing)} of ${answersText(kind, counts.answers)} ${checkTexts[check].differs}${more}`;
};

/**
 * Builds the section on the comparison of the reported usage with the received answers; `null` if nothing was compared.
 */
export const usageSection = (result: Result): Section | null => {
  const rows = rowsOf(result);
  if (rows.length === 0) return null;
  const looked = sumOf(kindsPresent(result), (kind) =>
    Math.max(0, ...rows.filter((row) => row.kind === kind).map(({ counts }) => counts.answers)),
  );
  const findings = present(rows.map(findingText));
  const agrees = `The usage of ${plural(looked, 'answer')} agrees with what was received within its bounds.`;
  const evidence = [table('', columns, rows), text(`${meaning} ${whatNext}`, 'quiet')];
  return section(
    'Is the usage true?',
    [
      ...(findings.length === 0 ? [agrees] : findings).map((each) => text(each)),
      ...present([hiddenText(result)]).map((each) => text(each)),
      ...(findings.length === 0 ? [fold('What was compared', evidence)] : evidence),
    ],
    'usage',
  );
};

const meaning =
  'A token of a text has at least one byte, and 16 more may have none; so an answer has at most as many output tokens as that, besides declared reasoning. Answers with calls or sound are left out. Prompts are compared that are written in the scenario.';

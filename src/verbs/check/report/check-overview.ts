import { type CheckOutcome, type CheckReport, type CheckRow } from '../model/check-report.ts';
import { list, type ReportDocument, type Tone, tones } from '../../../report/document/document.ts';
import { plural } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';
import { checkDocument, descriptionOf, observedText, outcomeTones } from './check-document.ts';

/** The findings of `weir check` alone, for a terminal: with the verdict and the names of the files they fit on 30 lines. */

const maxFindings = 6;
const maxReasons = 3;
/** A finding takes at most two lines of a hundred columns. */
const maxLength = 190;
const maxNames = 8;

const cut = (text: string): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;

const namesOf = (rows: readonly CheckRow[]): string => {
  const names = rows.slice(0, maxNames).map(({ id }) => id);
  const more = rows.length - names.length;
  return `${names.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
};

/** Checks that show the same thing are one finding. */
interface Finding {
  readonly tone: Tone;
  readonly rows: readonly CheckRow[];
}

const gravest = ['violation', 'deviation'] as const satisfies readonly CheckOutcome[];

const findingsOf = ({ rows }: CheckReport): readonly Finding[] =>
  gravest.flatMap((outcome) => {
    const found = rows.filter((row) => row.outcome === outcome);
    return [...Map.groupBy(found, observedText).values()]
      .toSorted((a, b) => b.length - a.length)
      .map((alike) => ({ tone: outcomeTones[outcome], rows: alike }));
  });

/** `chat (§ 4.1): status 500; expected: 200 for …`, or `2 checks: status 500 (chat, minimal)`. */
const findingText = ({ tone, rows }: Finding): string => {
  const [first] = rows;
  if (first === undefined) return '';
  const where =
    rows.length === 1
      ? `${first.id} (§ ${first.section}): ${observedText(first)}; expected: ${first.expected}`
      : `${rows.length} checks: ${observedText(first)} (${namesOf(rows)})`;
  return cut(`${tones[tone].glyph} ${where}`);
};

/** `Not checked: 42 checks (no model for speech is known), 9 checks for other reasons.` */
const uncheckedText = ({ rows }: CheckReport): string | null => {
  const unchecked = rows.filter(({ outcome }) => outcome === 'unchecked');
  const byReason = [...Map.groupBy(unchecked, ({ observed }) => observed)]
    .map(([reason, those]) => ({ reason, count: those.length }))
    .toSorted((a, b) => b.count - a.count);
  if (byReason.length === 0) return null;
  const named = byReason.slice(0, maxReasons);
  const others = unchecked.length - named.reduce((sum, { count }) => sum + count, 0);
  return cut(
    `Not checked: ${[
      ...named.map(({ reason, count }) => `${plural(count, 'check')} (${reason})`),
      ...(others > 0 ? [`${plural(others, 'check')} for other reasons`] : []),
    ].join(', ')}.`,
  );
};

/** What is wrong, and why something was not checked. */
export const checkOverview = (report: CheckReport): ReportDocument => {
  const findings = findingsOf(report);
  const hidden = findings.slice(maxFindings).flatMap(({ rows }) => rows);
  return {
    ...checkDocument(report),
    verdict: null,
    description: [],
    blocks: present([
      list(
        findings
          .slice(0, maxFindings)
          .map((each) => ({ text: findingText(each), tone: each.tone })),
      ),
      hidden.length > 0 &&
        list([cut(`${plural(hidden.length, 'more check')} (--details): ${namesOf(hidden)}`)]),
      list([uncheckedText(report), ...descriptionOf(report)], 'quiet'),
    ]),
  };
};

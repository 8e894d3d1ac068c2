import {
  type ChangedCheck,
  type CheckChange,
  checkChanges,
  type CheckComparison,
  type CheckRow,
} from '../model/check-report.ts';
import {
  column,
  type Column,
  list,
  type ReportDocument,
  section,
  table,
  type Tone,
} from '../../../report/document/document.ts';
import { failed, junitFile, passed, skipped } from '../../../report/junit/junit-file.ts';
import { plural } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';

const tones = {
  worse: 'bad',
  lost: 'warning',
  new: 'warning',
  better: 'good',
  other: 'plain',
} as const satisfies Record<CheckChange, Tone>;

const seenText = (row: CheckRow | null): string =>
  row === null ? 'not asked for' : `${row.outcome}: ${row.observed}`;

const columns: readonly Column<ChangedCheck>[] = [
  column.verdict('Change', ({ change }) => ({ text: change, tone: tones[change] })),
  column.name('Check', ({ id }) => id),
  column.text('Section', ({ before, after }) => `§ ${(after ?? before)?.section}`),
  column.words({ title: 'What changed', media: ['terminal'] }, ({ before, after }) => {
    const expected = (after ?? before)?.expected ?? '';
    return `${expected}: before ${seenText(before)}; now ${seenText(after)}`;
  }),
  column.words({ title: 'Before', media: ['html', 'markdown'] }, ({ before }) => seenText(before)),
  column.words({ title: 'Now', media: ['html', 'markdown'] }, ({ after }) => seenText(after)),
];

const countOf = ({ changes }: CheckComparison, change: CheckChange): number =>
  changes.filter((each) => each.change === change).length;

const checkComparisonVerdict = (comparison: CheckComparison) => {
  const counts = (Object.keys(checkChanges) as CheckChange[])
    .map((change) => [change, countOf(comparison, change)] as const)
    .filter(([, count]) => count > 0)
    .map(([change, count]) => `${count} ${change}`);
  const what = counts.length === 0 ? 'Nothing changed' : counts.join(', ');
  const [worse, lost] = [countOf(comparison, 'worse'), countOf(comparison, 'lost')];
  const tone: Tone = worse > 0 ? 'bad' : lost > 0 ? 'warning' : 'good';
  return {
    text: `${worse > 0 ? 'REGRESSION: ' : ''}${what}; ${plural(comparison.same, 'check')} as before.`,
    tone,
  };
};

const sideText = ({ target, startedAt }: CheckComparison['before']): string =>
  `${target}, ${startedAt}`;

export const checkComparisonDocument = (comparison: CheckComparison): ReportDocument => ({
  weir: comparison.weir,
  title: `Interface of ${comparison.after.target}: what changed`,
  description: [
    `before: ${sideText(comparison.before)}`,
    `now: ${sideText(comparison.after)}; profile ${comparison.after.profile}`,
  ],
  verdict: checkComparisonVerdict(comparison),
  introduction: [list(comparison.notes)],
  blocks: present([
    comparison.changes.length > 0 &&
      section('Changes', [table('Checks that changed', columns, comparison.changes)]),
  ]),
  footer: `Compared by Weir ${comparison.weir}.`,
});

/** Writes the changes as JUnit tests. Checks that got worse fail; checks that were lost are skipped. */
export const checkComparisonJunit = (comparison: CheckComparison): string =>
  junitFile({
    name: `weir compare ${comparison.after.target}`,
    startedAt: comparison.after.startedAt,
    duration: 0,
    properties: { weir: comparison.weir, profile: comparison.after.profile },
    cases: comparison.changes.map(({ id, change, before, after }) => {
      const text = `before ${seenText(before)}; now ${seenText(after)}`;
      const outcome =
        change === 'worse'
          ? failed('interface-regression', text)
          : change === 'lost'
            ? skipped(text)
            : passed;
      return { classname: 'check', name: id, outcome };
    }),
    output: [checkComparisonVerdict(comparison).text, ...comparison.notes],
  });

import { isViolation, type LimitCheck } from '../../../model/limits/limit-log.ts';
import {
  column,
  type Column,
  fold,
  only,
  type Section,
  section,
  table,
  text,
  type Tone,
} from '../../../report/document/document.ts';
import { failed, type JunitCase, passed, skipped } from '../../../report/junit/junit-file.ts';
import { plural } from '../../../report/text/number-text.ts';

/** The result of a check. A violated limit is more serious than another false claim. */
type CheckOutcome = 'holds' | 'violated' | 'does not hold' | 'undecided';

export const checkOutcomeOf = (check: LimitCheck): CheckOutcome => {
  if (check.finding === 'undecided') return 'undecided';
  if (check.finding === 'proved') return 'holds';
  return isViolation(check) ? 'violated' : 'does not hold';
};

const sourceText = (check: LimitCheck): string =>
  check.section === null ? 'not promised' : `§ ${check.section}`;

/** The tone of each outcome, in the order of interest to a reader. */
const checkTones = {
  violated: 'bad',
  'does not hold': 'warning',
  holds: 'good',
  undecided: 'quiet',
} as const satisfies Record<CheckOutcome, Tone>;

const outcomeOrder: readonly string[] = Object.keys(checkTones);

export const checkOrder = (check: LimitCheck): number =>
  outcomeOrder.indexOf(checkOutcomeOf(check));

export const claimColumns: readonly Column<LimitCheck>[] = [
  column.verdict('Finding', (check) => ({
    text: checkOutcomeOf(check),
    tone: checkTones[checkOutcomeOf(check)],
  })),
  column.name('Claim', ({ id }) => id),
  column.text('Source', sourceText),
  column.words({ title: 'Observed', media: ['terminal'] }, (check) => {
    const isFault = check.finding === 'refuted';
    return isFault ? `${check.claim} Observed: ${check.observed}.` : `${check.observed}.`;
  }),
  column.words(
    { title: 'Claim and observation', media: ['html', 'markdown'] },
    ({ claim, observed, evidence }) => ({
      text: claim,
      note: observed,
      details:
        evidence.length === 0
          ? undefined
          : { title: `${plural(evidence.length, 'row')} of evidence`, lines: evidence },
    }),
  ),
];

export const signsMeaning =
  '✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination';

/** Counts the claims of each outcome: `33 claims hold, 1 does not hold, 8 are undecided`. */
export const countsText = (checks: readonly LimitCheck[]): string => {
  const count = (...outcomes: readonly CheckOutcome[]): number =>
    checks.filter((check) => outcomes.includes(checkOutcomeOf(check))).length;
  const [kept, unkept] = [count('holds'), count('violated', 'does not hold')];
  const undecided = count('undecided');
  return `Of ${plural(checks.length, 'claim')} ${kept} ${kept === 1 ? 'holds' : 'hold'}, ${unkept} ${unkept === 1 ? 'does' : 'do'} not hold, ${undecided} ${undecided === 1 ? 'is' : 'are'} undecided.`;
};

const isFinding = (check: LimitCheck): boolean => check.finding === 'refuted';

const byOutcome = (checks: readonly LimitCheck[]): readonly LimitCheck[] =>
  checks.toSorted((a, b) => checkOrder(a) - checkOrder(b));

/** Builds two tables: the claims that do not hold, if any, and all other claims, which pages fold. */
export const claimTables = (checks: readonly LimitCheck[]) => {
  const found = byOutcome(checks).filter(isFinding);
  const others = byOutcome(checks).filter((check) => !isFinding(check));
  const title = `${plural(others.length, 'claim')} that ${others.length === 1 ? 'holds or is' : 'hold or are'} undecided`;
  const tableOf = (caption: string, rows: readonly LimitCheck[]) =>
    table(caption, claimColumns, rows, { showsNotes: true });
  return {
    found: found.length > 0 && tableOf('Claims that do not hold', found),
    others: others.length > 0 && fold(title, [tableOf(title, others)]),
  };
};

/** Shows the claims that do not hold. Pages fold all other claims; a terminal refers to `page` for them. */
export const claimsSection = (checks: readonly LimitCheck[], page: string): Section => {
  const { found, others } = claimTables(checks);
  return section('Claims', [
    found,
    others && only(['html', 'markdown'], others),
    only(['terminal'], text(`${countsText(checks)} All of them: ${page}.`)),
    only(['terminal'], text(signsMeaning, 'quiet')),
  ]);
};

export const caseOf = (check: LimitCheck): JunitCase => {
  const details = [check.observed, ...check.evidence].join('\n');
  const outcomes = {
    holds: passed,
    'does not hold': passed,
    violated: failed('limit-violated', check.observed, details),
    undecided: skipped(`undecided: ${check.observed}`),
  };
  const name = `${check.id} (${sourceText(check)}): ${check.claim}`;
  return { classname: 'limits', name, outcome: outcomes[checkOutcomeOf(check)] };
};

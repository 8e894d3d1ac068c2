import { isViolation, type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type {
  LimitReport,
  LimiterFit,
  LimiterIdentification,
} from '../../model/limits/limit-report.ts';
import {
  column,
  type Column,
  list,
  only,
  picture,
  type ReportDocument,
  section,
  table,
  text,
  type Tone,
} from '../document/document.ts';
import { failed, type JunitCase, junitFile, passed, skipped } from '../junit/junit-file.ts';
import { countText, plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { limitsTimeline } from './limits-timeline.ts';

/** The result of a check. A violated limit is worse than any other false claim. */
type CheckOutcome = 'holds' | 'violated' | 'does not hold' | 'undecided';

const checkOutcomeOf = (check: LimitCheck): CheckOutcome => {
  if (check.finding === 'undecided') return 'undecided';
  if (check.finding === 'proved') return 'holds';
  return isViolation(check) ? 'violated' : 'does not hold';
};

/** Two classes that differ in fewer decisions cannot be distinguished. */
const minDecisionMargin = 2;

const limiterText = ({ limiter, burst, steps }: LimiterFit): string =>
  `${limiter} (${present([
    limiterClasses[limiter],
    burst !== null && `burst ${countText(burst)}`,
    steps !== null && `${countText(steps)} per window`,
  ]).join(', ')})`;

/** Which limiter explains the decisions, and how many decisions the next best gets wrong. */
const identificationText = (
  { best, runnerUp, decisions }: LimiterIdentification,
  limit: number,
  window: number,
): string => {
  const replayed = `${plural(decisions, 'decision')} replayed`;
  if (best === null) {
    const closest =
      runnerUp === null
        ? ''
        : `; the closest, ${runnerUp.limiter}, has ${countText(runnerUp.wrong)} wrong`;
    return `No class of limiter of ${countText(limit)} requests in ${timeText(window)} fits (${replayed}${closest}).`;
  }
  return present([
    `${limiterText(best)}: ${countText(best.wrong)} wrong of ${replayed}.`,
    best.limit !== limit && `Its limit is ${countText(best.limit)}.`,
    runnerUp !== null && runnerUpText(runnerUp, best),
  ]).join(' ');
};

const runnerUpText = ({ limiter, wrong }: LimiterFit, best: LimiterFit): string =>
  wrong - best.wrong < minDecisionMargin
    ? `It cannot be distinguished from ${limiter}, which has ${plural(wrong, 'decision')} wrong.`
    : `The next best, ${limiter}, has ${countText(wrong)} wrong.`;

const limitsVerdictText = ({ judgement: { checks, violated }, log }: LimitReport): string => {
  const count = (outcome: CheckOutcome): number =>
    checks.filter((check) => checkOutcomeOf(check) === outcome).length;
  const [kept, unkept] = [count('holds'), count('does not hold')];
  const others = `${kept} ${kept === 1 ? 'holds' : 'hold'}, ${unkept} ${unkept === 1 ? 'does' : 'do'} not hold, ${count('undecided')} undecided.`;
  const verdict = violated
    ? `LIMITS VIOLATED: ${plural(count('violated'), 'claim')}; of the others`
    : `No limit violated: of ${plural(checks.length, 'claim')}`;
  const endedEarly = log.cut === null ? '' : ` The examination ended early: ${log.cut}.`;
  return `${verdict} ${others}${endedEarly}`;
};

const sourceText = (check: LimitCheck): string =>
  check.section === null ? 'not promised' : `§ ${check.section}`;

const requestsSentText = ({ log, took }: LimitReport): string => {
  const refused = log.replies.filter(({ status }) => status === 429).length;
  const lost = log.unanswered.length;
  return `${plural(log.replies.length + lost, 'request')} in ${timeText(took)}, ${countText(refused)} refused with 429${lost === 0 ? '' : `, ${countText(lost)} without an answer`}`;
};

const tones = {
  holds: 'good',
  violated: 'bad',
  'does not hold': 'warning',
  undecided: 'quiet',
} as const satisfies Record<CheckOutcome, Tone>;

const claimColumns: readonly Column<LimitCheck>[] = [
  column.verdict('Finding', (check) => ({
    text: checkOutcomeOf(check),
    tone: tones[checkOutcomeOf(check)],
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

const limiterColumns: readonly Column<LimiterFit>[] = [
  column.name('Limiter', ({ limiter }) => limiter),
  column.number('Wrong', ({ wrong }) => countText(wrong)),
  column.words('How it works', ({ limiter }) => limiterClasses[limiter]),
];

const signsMeaning =
  '✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination';

/** The limiter of a gateway and the claims about it, as an examination found them. */
export const limitsDocument = (report: LimitReport): ReportDocument => {
  const { weir, target, model, judgement, log, startedAt } = report;
  const { limit, window } = log.declared.requests;
  const { least, most } = judgement.facts.mostAdmitted;
  const { ranking, tolerated, decisions } = judgement.seen ?? judgement.declared;
  const evidence = judgement.checks
    .filter((check) => checkOutcomeOf(check) === 'violated')
    .flatMap(({ id, evidence: rows }) => rows.map((row) => `${id}: ${row}`));
  const declared = `${countText(limit)} requests in ${timeText(window)}`;
  const admitted =
    least === most ? countText(most) : `between ${countText(least)} and ${countText(most)}`;
  const claims = table('Claims about the limits', claimColumns, judgement.checks, {
    showsNotes: true,
  });
  const limiters = table(
    `Each class of limiter with its best parameters, replayed over ${plural(decisions, 'decision')}; it fits with at most ${countText(tolerated)} wrong`,
    limiterColumns,
    ranking,
  );
  const toneIfKept = log.cut === null ? 'good' : 'warning';
  return {
    weir,
    title: `Limits of ${target}`,
    description: [
      `${target}, model ${model}: declared limit of ${declared} per key`,
      requestsSentText(report),
    ],
    verdict: {
      text: limitsVerdictText(report),
      tone: judgement.violated ? 'bad' : toneIfKept,
    },
    blocks: [
      section('Limiter', [
        text(`With the declared limit: ${identificationText(judgement.declared, limit, window)}`),
        judgement.seen !== null &&
          text(`With the observed limit: ${identificationText(judgement.seen, limit, window)}`),
        text(`Maximum admitted within any ${timeText(window)}: ${admitted}.`),
        only(['html', 'markdown'], limiters),
      ]),
      section('Claims', [claims]),
      only(['terminal', 'markdown'], section('Evidence', [list(evidence)])),
      only(['terminal'], text(signsMeaning, 'quiet')),
      section('Timeline', [picture(() => limitsTimeline(report))]),
    ],
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
};

const caseOf = (check: LimitCheck): JunitCase => {
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

/** The claims as JUnit tests: a violated limit fails, an undecided claim is skipped, any other false claim is only listed in the output. */
export const limitsJunit = (report: LimitReport): string =>
  junitFile({
    name: `weir limits ${report.target}`,
    startedAt: report.startedAt,
    duration: report.took,
    properties: { weir: report.weir, model: report.model },
    cases: report.judgement.checks.map(caseOf),
    output: [
      limitsVerdictText(report),
      ...report.judgement.checks.map(
        (check) => `${check.id}: ${checkOutcomeOf(check)}: ${check.observed}`,
      ),
    ],
  });

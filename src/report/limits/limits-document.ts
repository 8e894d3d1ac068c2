import { isViolation, type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type { LimitReport } from '../../model/limits/limit-report.ts';
import type { Fitted, LimiterFit, LimiterIdentification } from '../../model/limits/limiter-fit.ts';
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
import { explanationSection } from './explanation-section.ts';
import { limitsTimeline } from './limits-timeline.ts';

/** The result of a check. A violated limit is worse than any other false claim. */
type CheckOutcome = 'holds' | 'violated' | 'does not hold' | 'undecided';

const checkOutcomeOf = (check: LimitCheck): CheckOutcome => {
  if (check.finding === 'undecided') return 'undecided';
  if (check.finding === 'proved') return 'holds';
  return isViolation(check) ? 'violated' : 'does not hold';
};

/** `72`, or with its interval `60.0 (59.6–60.4)`. */
const fittedText = ({ value, least, most }: Fitted, show: (value: number) => string): string =>
  show(least) === show(most) ? show(value) : `${show(value)} (${show(least)}–${show(most)})`;

const tenths = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const fittedCount = (fitted: Fitted): string => fittedText(fitted, tenths);

const parameterText = ([name, fitted]: readonly [string, Fitted]): string =>
  `${name} ${name === 'phase' ? fittedText(fitted, timeText) : fittedCount(fitted)}`;

/** `sliding-log (…): 60 requests in 60 s`. */
const fitText = ({ limiter, limit, window, parameters }: LimiterFit): string =>
  `${limiter} (${limiterClasses[limiter]}): ${present([
    `${fittedCount(limit)} requests in ${fittedText(window, timeText)}`,
    ...Object.entries(parameters).map(parameterText),
  ]).join(', ')}`;

/** Which limiter explains the decisions, what it is confused with, and how many decisions the next best gets wrong. */
const identificationText = ({ best, ties, runnerUp, decisions }: LimiterIdentification): string => {
  const explained = plural(decisions, 'decision');
  if (best === null) {
    const closest =
      runnerUp === null
        ? ''
        : `; the closest, ${runnerUp.limiter}, contradicts ${countText(runnerUp.wrong)}`;
    return `none of our classes explains the ${explained}${closest}.`;
  }
  return present([
    `${fitText(best)}; it contradicts ${countText(best.wrong)} of ${explained}.`,
    ties.length > 0 &&
      `This log does not distinguish it from ${ties.map(({ limiter }) => limiter).join(', ')}.`,
    runnerUp !== null &&
      `The next best, ${runnerUp.limiter}, contradicts ${countText(runnerUp.wrong)}.`,
  ]).join(' ');
};

const verdictWords = {
  kept: 'Limit kept',
  violated: 'LIMIT VIOLATED',
  undecided: 'Undecided',
} as const satisfies Record<LimitReport['judgement']['verdict'], string>;

/** The first line: the verdict, and the facts that it rests on. */
const limitsVerdictText = ({ judgement: { checks, verdict, reasons } }: LimitReport): string => {
  const count = (outcome: CheckOutcome): number =>
    checks.filter((check) => checkOutcomeOf(check) === outcome).length;
  const [kept, unkept] = [count('holds'), count('violated') + count('does not hold')];
  const claims = `Of ${plural(checks.length, 'claim')} ${kept} ${kept === 1 ? 'holds' : 'hold'}, ${unkept} ${unkept === 1 ? 'does' : 'do'} not hold, ${count('undecided')} undecided.`;
  return `${verdictWords[verdict]}: ${reasons.join('; ')}. ${claims}`;
};

/** The rate that was admitted under a load that always asked for more. */
const sustainedText = ({ judgement: { facts }, log }: LimitReport): string => {
  const { sustained } = facts;
  if (sustained === null) return 'not tried';
  const { windows, admitted, offered, rate } = sustained;
  const per = timeText(log.declared.requests.window);
  const most = rate.most === null ? 'unknown' : countText(Math.floor(rate.most));
  return `${tenths(admitted / windows)} requests in ${per} (${countText(Math.ceil(rate.least))} to ${most} for any limiter), ${countText(admitted)} of ${countText(offered)} in ${windows.toFixed(1)} windows`;
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

const verdictTones = {
  kept: 'good',
  violated: 'bad',
  undecided: 'warning',
} as const satisfies Record<LimitReport['judgement']['verdict'], Tone>;

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
  column.number('Contradicted', ({ wrong }) => countText(wrong)),
  column.text(
    'Limit',
    ({ limit, window }) => `${fittedCount(limit)} in ${fittedText(window, timeText)}`,
  ),
  column.words('How it works', ({ limiter }) => limiterClasses[limiter]),
];

const signsMeaning =
  '✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination';

/** The limiter of a gateway and the claims about it, as an examination found them. */
export const limitsDocument = (report: LimitReport): ReportDocument => {
  const { weir, target, model, judgement, log, startedAt } = report;
  const { limit, window } = log.declared.requests;
  const { least, most } = judgement.facts.mostAdmitted;
  const { ranking, decisions } = judgement.identification;
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
    `Each class of limiter with its best parameters, and how many of ${plural(decisions, 'decision')} it contradicts`,
    limiterColumns,
    ranking,
  );
  return {
    weir,
    title: `Limits of ${target}`,
    description: [
      `${target}, model ${model}: declared limit of ${declared} per key`,
      requestsSentText(report),
    ],
    verdict: {
      text: limitsVerdictText(report),
      tone: verdictTones[judgement.verdict],
    },
    blocks: present([
      section('Limiter', [
        text(`Model: ${identificationText(judgement.identification)}`),
        text(`Sustained rate: ${sustainedText(report)}.`),
        text(`Maximum admitted within any ${timeText(window)}: ${admitted}.`),
        only(['html', 'markdown'], limiters),
      ]),
      report.explanation === undefined
        ? null
        : explanationSection(judgement.identification, report.explanation, log.replies),
      section('Claims', [claims]),
      only(['terminal', 'markdown'], section('Evidence', [list(evidence)])),
      only(['terminal'], text(signsMeaning, 'quiet')),
      section('Timeline', [picture(() => limitsTimeline(report))]),
    ]),
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
    properties: {
      weir: report.weir,
      model: report.model,
      verdict: report.judgement.verdict,
    },
    cases: report.judgement.checks.map(caseOf),
    output: [
      limitsVerdictText(report),
      ...report.judgement.checks.map(
        (check) => `${check.id}: ${checkOutcomeOf(check)}: ${check.observed}`,
      ),
    ],
  });

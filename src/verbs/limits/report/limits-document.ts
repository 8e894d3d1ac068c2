import type { CountBounds, LimitFacts } from '../../../model/limits/limit-facts.ts';
import { isViolation, type LimitCheck, limiterClasses } from '../../../model/limits/limit-log.ts';
import type { LimitReport, LimitVerdict } from '../model/limit-report.ts';
import type {
  Fitted,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
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
} from '../../../report/document/document.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';
import { explanationSection, limiterNames } from './explanation-section.ts';
import { limitsTimeline } from './limits-timeline.ts';
import {
  failed,
  type JunitCase,
  junitFile,
  passed,
  skipped,
} from '../../../report/junit/junit-file.ts';

/** The result of a check. A violated limit is more serious than any other false claim. */
type CheckOutcome = 'holds' | 'violated' | 'does not hold' | 'undecided';

const checkOutcomeOf = (check: LimitCheck): CheckOutcome => {
  if (check.finding === 'undecided') return 'undecided';
  if (check.finding === 'proved') return 'holds';
  return isViolation(check) ? 'violated' : 'does not hold';
};

/** Formats a fitted number as `72`, or with its interval as `60.0 (59.6–60.4)`. */
const fittedText = ({ value, least, most }: Fitted, show: (value: number) => string): string =>
  show(least) === show(most) ? show(value) : `${show(value)} (${show(least)}–${show(most)})`;

const tenths = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const fittedCount = (fitted: Fitted): string => fittedText(fitted, tenths);

const parameterText = ([name, fitted]: readonly [string, Fitted]): string =>
  `${name} ${name === 'phase' ? fittedText(fitted, timeText) : fittedCount(fitted)}`;

/** Formats parameters as `60 requests in 60 s, burst 12`. */
const parametersText = ({ limit, window, parameters }: LimiterFit): string =>
  [
    `${fittedCount(limit)} requests in ${fittedText(window, timeText)}`,
    ...Object.entries(parameters).map(parameterText),
  ].join(', ');

/** Formats a fit as `sliding-log (…): 60 requests in 60 s`. */
const fitText = (fit: LimiterFit): string =>
  `${fit.limiter} (${limiterClasses[fit.limiter]}): ${parametersText(fit)}`;

/** Says which limiter explains the decisions, which others do too, and how many decisions the next best contradicts. */
const identificationText = (found: LimiterIdentification): string => {
  const { best, ties, runnerUp, decisions, ranking } = found;
  const explained = plural(decisions, 'decision');
  if (best === null) {
    const closest =
      runnerUp === null
        ? ''
        : `; the closest, ${runnerUp.limiter}, contradicts ${countText(runnerUp.wrong)}`;
    return `none of our classes explains the ${explained}${closest}.`;
  }
  const next = ranking.find((fit) => fit !== best && !ties.includes(fit));
  return present([
    `${fitText(best)}; it contradicts ${countText(best.wrong)} of ${explained}.`,
    ties.length > 0 &&
      `This log does not distinguish it from ${ties.map(({ limiter }) => limiter).join(', ')}.`,
    next !== undefined &&
      `The next best, ${limiterNames(best, next).rival}, contradicts ${countText(next.wrong)}.`,
  ]).join(' ');
};

export const verdicts = {
  kept: { words: 'limit kept', tone: 'good' },
  violated: { words: 'LIMIT VIOLATED', tone: 'bad' },
  undecided: { words: 'undecided', tone: 'warning' },
} as const satisfies Record<LimitVerdict, { readonly words: string; readonly tone: Tone }>;

/** Names the limiter with its parameters, or several limiters if the log does not distinguish them. */
const limiterText = ({ best, ties }: LimiterIdentification): string =>
  best === null
    ? 'none of ours'
    : `${[best, ...ties].map(({ limiter }) => limiter).join(' or ')} of ${parametersText(best)}`;

/** Formats bounds as `24`, or with both ends as `23 to 24`. */
const boundsText = ({ least, most }: CountBounds): string =>
  least === most ? countText(most) : `${countText(least)} to ${countText(most)}`;

/** Formats the admitted rate under a load that always asked for more, with its bounds for any limiter. */
const rateText = ({ sustained }: LimitFacts, per: string): string => {
  if (sustained === null) return 'not tried';
  const { windows, admitted, rate } = sustained;
  const least = countText(Math.ceil(rate.least));
  const bounds =
    rate.most === null ? `at least ${least}` : `${least} to ${countText(Math.floor(rate.most))}`;
  return `${tenths(admitted / windows)} in ${per} (${bounds} for any limiter)`;
};

/** Returns the first line: the verdict, and the figures on which it rests. */
const limitsVerdictText = ({ judgement, log }: LimitReport): string => {
  const { requests, facts, identification } = judgement;
  const per = timeText(log.declared.requests.window);
  return `Requests: ${verdicts[requests].words}. Sustained rate: ${rateText(facts, per)}; most admitted in any ${per}: ${boundsText(facts.mostAdmitted)}; limiter: ${limiterText(identification)}.`;
};

/** Says what the examination shows of the limit of tokens. */
const tokensText = ({ judgement: { tokens } }: LimitReport): string => {
  const words = tokens.verdict === 'violated' ? verdicts.violated.words : tokens.verdict;
  return `Tokens: ${words}: ${tokens.reasons.join('; ')}.`;
};

/** Gives the reasons, and the number of claims that are true. */
const reasonsText = ({ judgement: { checks, reasons } }: LimitReport): string => {
  const count = (outcome: CheckOutcome): number =>
    checks.filter((check) => checkOutcomeOf(check) === outcome).length;
  const [kept, unkept] = [count('holds'), count('violated') + count('does not hold')];
  const claims = `Of ${plural(checks.length, 'claim')} ${kept} ${kept === 1 ? 'holds' : 'hold'}, ${unkept} ${unkept === 1 ? 'does' : 'do'} not hold, ${count('undecided')} undecided.`;
  return `Why: ${reasons.join('; ')}. ${claims}`;
};

/** Says how much of the load was admitted. */
const loadText = ({ sustained }: LimitFacts): string =>
  sustained === null
    ? ''
    : `; ${countText(sustained.admitted)} of ${countText(sustained.offered)} requests in ${sustained.windows.toFixed(1)} windows`;

const sourceText = (check: LimitCheck): string =>
  check.section === null ? 'not promised' : `§ ${check.section}`;

const requestsSentText = ({ log, took }: LimitReport): string => {
  const refused = log.replies.filter(({ status }) => status === 429).length;
  const lost = log.unanswered.length;
  return `${plural(log.replies.length + lost, 'request')} in ${timeText(took)}, ${countText(refused)} refused with 429${lost === 0 ? '' : `, ${countText(lost)} without an answer`}`;
};

/** The tone of each outcome, in the order in which a reader looks for them. */
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

const limiterColumns: readonly Column<LimiterFit>[] = [
  column.name('Limiter', ({ limiter }) => limiter),
  column.number('Contradicted', ({ wrong }) => countText(wrong)),
  column.text(
    'Limit',
    ({ limit, window }) => `${fittedCount(limit)} in ${fittedText(window, timeText)}`,
  ),
  column.words('How it works', ({ limiter }) => limiterClasses[limiter]),
];

export const signsMeaning =
  '✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination';

/** Builds the document of an examination: the limiter of a gateway and the claims about it. */
export const limitsDocument = (report: LimitReport): ReportDocument => {
  const { weir, target, model, judgement, log, startedAt } = report;
  const { limit, window } = log.declared.requests;
  const { ranking, decisions } = judgement.identification;
  const evidence = judgement.checks
    .filter((check) => checkOutcomeOf(check) === 'violated')
    .flatMap(({ id, evidence: rows }) => rows.map((row) => `${id}: ${row}`));
  const per = timeText(window);
  const declared = `${countText(limit)} requests in ${per}`;
  const checks = judgement.checks.toSorted((a, b) => checkOrder(a) - checkOrder(b));
  const claims = table('Claims about the limits', claimColumns, checks, { showsNotes: true });
  const limiters = table(
    `Each class of limiter with its best parameters, and how many of ${plural(decisions, 'decision')} it contradicts`,
    limiterColumns,
    ranking,
  );
  return {
    weir,
    title: `Limits of ${target}`,
    description: [
      `Model ${model}: declared limit of ${declared} per key`,
      requestsSentText(report),
    ],
    verdict: { text: limitsVerdictText(report), tone: verdicts[judgement.verdict].tone },
    introduction: [text(tokensText(report)), text(reasonsText(report))],
    blocks: present([
      section('Limiter', [
        text(`Model: ${identificationText(judgement.identification)}`),
        text(`Sustained rate: ${rateText(judgement.facts, per)}${loadText(judgement.facts)}.`),
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

/** Writes the claims as JUnit tests: violated limits fail, undecided claims are skipped, and all others pass. */
export const limitsJunit = (report: LimitReport): string =>
  junitFile({
    name: `weir limits ${report.target}`,
    startedAt: report.startedAt,
    duration: report.took,
    properties: { weir: report.weir, model: report.model, verdict: report.judgement.verdict },
    cases: report.judgement.checks.map(caseOf),
    output: [
      limitsVerdictText(report),
      tokensText(report),
      reasonsText(report),
      ...report.judgement.checks.map(
        (check) => `${check.id}: ${checkOutcomeOf(check)}: ${check.observed}`,
      ),
    ],
  });

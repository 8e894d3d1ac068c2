import type { CountBounds, LimitFacts } from '../../../model/limits/limit-facts.ts';
import { isViolation, limiterClasses } from '../../../model/limits/limit-log.ts';
import type {
  Fitted,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import {
  type Block,
  column,
  type Column,
  list,
  only,
  picture,
  type ReportDocument,
  type Section,
  section,
  table,
  text,
} from '../../../report/document/document.ts';
import { junitFile } from '../../../report/junit/junit-file.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';
import type { KeyFindings } from '../model/key-findings.ts';
import type { LimitReport } from '../model/limit-report.ts';
import { limitsOfRate } from '../model/limits-of-rate.ts';
import { caseOf, checkOutcomeOf, claimsSection, countsText } from './claims.ts';
import { explanationSection, limiterNames } from './explanation-section.ts';
import {
  limitsSentence,
  limitsAdvice,
  ownerOf,
  sourceOfLimit,
  perWindow,
  verdictOnLimits,
} from './limits-sentence.ts';
import { limitsTimeline } from './limits-timeline.ts';

/** Formats a fitted number as `72`, or with its interval as `60.0 (59.6–60.4)`. */
const fittedText = ({ value, least, most }: Fitted, show: (value: number) => string): string =>
  show(least) === show(most) ? show(value) : `${show(value)} (${show(least)}–${show(most)})`;

const tenths = (value: number): string =>
  value.toLocaleString('en-US', { maximumFractionDigits: 1 });

const fittedCount = (fitted: Fitted): string => fittedText(fitted, tenths);

const parameterText = ([name, fitted]: readonly [string, Fitted]): string =>
  `${name} ${name === 'phase' ? fittedText(fitted, timeText) : fittedCount(fitted)}`;

/** Formats a limiter's fitted parameters as `60 requests in 60 s, burst 12`. */
const parametersText = ({ limit, window, parameters }: LimiterFit): string =>
  [
    `${fittedCount(limit)} requests in ${fittedText(window, timeText)}`,
    ...Object.entries(parameters).map(parameterText),
  ].join(', ');

/** Formats a fit as `sliding-log (…): 60 requests in 60 s`. */
const fitText = (fit: LimiterFit): string =>
  `${fit.limiter} (${limiterClasses[fit.limiter]}): ${parametersText(fit)}`;

/**
 * Says which limiter explains the decisions, which others explain them as well, and how many decisions the next best
 * limiter contradicts.
 */
const identificationText = (found: LimiterIdentification): string => {
  const { best, ties, runnerUp, decisions, ranking } = found;
  const explained = plural(decisions, 'decision');
  if (best === null && runnerUp?.wrong === 0 && decisions > 0)
    return `no class is named: ${runnerUp.limiter} explains all ${explained}, but answers were delayed, or what is typical of it was not seen.`;
  if (best === null) {
    const closest =
      runnerUp === null
        ? ''
        : `; the closest, ${runnerUp.limiter}, contradicts ${countText(runnerUp.wrong)}`;
    return `none of our classes explains the ${explained}${closest}.`;
  }
  // In a stored examination, the fits of the ranking are copies, so fits are compared by their content.
  const named = new Set([best, ...ties].map((fit) => JSON.stringify(fit)));
  const next = ranking.find((fit) => !named.has(JSON.stringify(fit)));
  return present([
    `${fitText(best)}; it contradicts ${countText(best.wrong)} of ${explained}.`,
    ties.length > 0 &&
      `This log does not distinguish it from ${ties.map(({ limiter }) => limiter).join(', ')}.`,
    next !== undefined &&
      `The next best, ${limiterNames(best, next).rival}, contradicts ${countText(next.wrong)}.`,
  ]).join(' ');
};

const limiterText = ({ best, ties }: LimiterIdentification): string =>
  best === null
    ? 'none of ours'
    : `${[best, ...ties].map(({ limiter }) => limiter).join(' or ')} of ${parametersText(best)}`;

/** Formats bounds as `24`, or with both ends as `23 to 24`. */
const boundsText = ({ least, most }: CountBounds): string =>
  least === most ? countText(most) : `${countText(least)} to ${countText(most)}`;

/**
 * Formats how many requests were admitted per window under a sustained load, and the lowest and the highest limit with
 * which a limiter of any class can admit so many.
 */
const rateText = ({ sustained }: LimitFacts, per: string): string => {
  if (sustained === null) return 'not tried';
  const { windows, admitted, rate } = sustained;
  const { least, most } = limitsOfRate(rate);
  const bounds =
    most === null ? `at least ${tenths(least)}` : `${tenths(least)} to ${tenths(most)}`;
  return `${tenths(admitted / windows)} in ${per} (${bounds} for any limiter)`;
};

const figuresText = ({ judgement, log }: LimitReport): string => {
  const { facts, identification } = judgement;
  const per = timeText(log.declared.requests.window);
  return `Sustained rate: ${rateText(facts, per)}; most admitted in any ${per}: ${boundsText(facts.mostAdmitted)}; limiter: ${limiterText(identification)}.`;
};

const tokensText = ({ judgement: { tokens } }: LimitReport): string => {
  const words = tokens.verdict === 'violated' ? 'LIMIT VIOLATED' : tokens.verdict;
  return `Tokens: ${words}: ${tokens.reasons.join('; ')}.`;
};

const reasonsText = ({ judgement: { reasons } }: LimitReport): string =>
  `Why: ${reasons.join('; ')}.`;

const loadText = ({ sustained }: LimitFacts): string =>
  sustained === null
    ? ''
    : `; ${countText(sustained.admitted)} of ${countText(sustained.offered)} requests in ${sustained.windows.toFixed(1)} windows`;

const requestsSentText = ({ log, took }: LimitReport): string => {
  const refused = log.replies.filter(({ status }) => status === 429).length;
  const lost = log.unanswered.length;
  return `${plural(log.replies.length + lost, 'request')} in ${timeText(took)}, ${countText(refused)} refused with 429${lost === 0 ? '' : `, ${countText(lost)} without an answer`}`;
};

const limiterColumns: readonly Column<LimiterFit>[] = [
  column.name('Limiter', ({ limiter }) => limiter),
  column.number('Contradicted', ({ wrong }) => countText(wrong)),
  column.text(
    'Limit',
    ({ limit, window }) => `${fittedCount(limit)} in ${fittedText(window, timeText)}`,
  ),
  column.words('How it works', ({ limiter }) => limiterClasses[limiter]),
];

export const requestSections = (report: LimitReport): readonly Section[] => {
  const { judgement, log } = report;
  const { ranking, decisions } = judgement.identification;
  const per = timeText(log.declared.requests.window);
  const evidence = judgement.checks
    .filter(isViolation)
    .flatMap(({ id, evidence: rows }) => rows.map((row) => `${id}: ${row}`));
  const limiters = table(
    `Each class of limiter with its best parameters, and how many of ${plural(decisions, 'decision')} it contradicts`,
    limiterColumns,
    ranking,
  );
  return present([
    section('Limiter', [
      text(`Model: ${identificationText(judgement.identification)}`),
      text(`Sustained rate: ${rateText(judgement.facts, per)}${loadText(judgement.facts)}.`),
      text(`Most admitted in any ${per}: ${boundsText(judgement.facts.mostAdmitted)}.`),
      only(['html', 'markdown'], limiters),
    ]),
    report.explanation === undefined
      ? null
      : explanationSection(judgement.identification, report.explanation, log.replies),
    claimsSection(judgement.checks, 'limits.html'),
    only(['terminal', 'markdown'], section('Evidence', [list(evidence)])),
    section('Timeline', [picture(() => limitsTimeline(report))]),
  ]);
};

/** Returns the examined limit, the number of requests that were sent, and the reasons for the verdict. */
export const requestTexts = (report: LimitReport) => {
  const { limit, window } = report.log.declared.requests;
  return {
    declared: `${sourceOfLimit(report)} limit of ${countText(limit)} requests ${perWindow(window)} per ${ownerOf(report.log)}`,
    sent: requestsSentText(report),
    why: reasonsText(report),
  };
};

/** Lists the limits in the headers that were not examined. */
const otherLimits = ({ judgement: { checks } }: LimitReport): readonly Block[] =>
  checks
    .filter(({ id, finding }) => id === 'other-limits' && finding === 'undecided')
    .map(({ observed }) => text(`Other limits: ${observed}.`));

/**
 * Builds the document of an examination: the gateway's limiter and the claims about it. If the gateway's limit of
 * tokens was also examined (`tokens`), the first line is about both limits.
 */
export const limitsDocument = (
  report: LimitReport,
  tokens: KeyFindings['tokens'] = null,
): ReportDocument => {
  const { weir, target, model, startedAt } = report;
  const { declared, sent, why } = requestTexts(report);
  return {
    weir,
    title: `Limits of ${target}`,
    description: [`Model ${model}: ${declared}`, sent],
    verdict: verdictOnLimits({ requests: report, tokens }),
    introduction: [
      text(tokens === null ? tokensText(report) : 'Tokens: token-limits.html.'),
      text(why),
      text(limitsAdvice({ requests: report, tokens })),
      ...otherLimits(report),
    ],
    blocks: requestSections(report),
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
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
      limitsSentence({ requests: report, tokens: null }),
      figuresText(report),
      tokensText(report),
      `${reasonsText(report)} ${countsText(report.judgement.checks)}`,
      ...report.judgement.checks.map(
        (check) => `${check.id}: ${checkOutcomeOf(check)}: ${check.observed}`,
      ),
    ],
  });

import { isViolation } from '../../../model/limits/limit-log.ts';
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
} from '../../../report/document/document.ts';
import { junitFile } from '../../../report/junit/junit-file.ts';
import { countText, plural, timeText } from '../../../report/text/number-text.ts';
import { present } from '../../../report/text/present.ts';
import { isRefused, tokenKinds, usedTokens } from '../model/token-log.ts';
import type { ChargeRow, TokenReport } from '../model/token-report.ts';
import { caseOf, claimColumns, checkOrder, signsMeaning, verdicts } from './limits-document.ts';
import { tokensTimeline } from './tokens-timeline.ts';

const perText = ({ tokens, window }: TokenReport['log']['rule']): string =>
  `${countText(tokens)} tokens ${window === 60_000 ? 'a minute' : `in ${timeText(window)}`}`;

const chargedWords = {
  reserved: 'max_tokens is reserved when a request is sent',
  admission: 'prompts are charged when a request is sent',
  end: 'streams are charged at their end',
} as const;

/** Says when tokens are charged, and what can be used at once therefore. */
const chargingText = ({ findings, log }: TokenReport): string => {
  const { chargedAt, atOnce } = findings;
  const windows = log.rule.window === 60_000 ? 'minutes’' : 'windows’';
  return [
    ...(chargedAt === null ? [] : [`; ${chargedWords[chargedAt]}`]),
    ...(atOnce === null || atOnce.limits <= 1
      ? []
      : [
          `${chargedAt === null ? '; ' : ', so '}${countText(atOnce.requests)} at once can use ${atOnce.limits.toFixed(1)} ${windows} worth`,
        ]),
  ].join('');
};

/**
 * Says in one sentence whether the token limit is kept, when the gateway charges, and how many tokens that lets through
 * at once.
 */
const tokenSentence = (report: TokenReport): string => {
  const { findings, log } = report;
  const limit = perText(log.rule);
  const verdict = {
    kept: `${limit} are kept`,
    violated: `${limit} are NOT kept`,
    undecided: `Undecided whether ${limit} are kept`,
  }[findings.verdict];
  return `${verdict}${chargingText(report)}.`;
};

const requestsText = ({ log, took }: TokenReport): string => {
  const used = log.replies.reduce((sum, reply) => sum + (usedTokens(reply) ?? 0), 0);
  const refused = log.replies.filter(isRefused).length;
  return `${plural(log.replies.length, 'request')} with ${countText(used)} tokens in ${timeText(took)}, ${countText(refused)} refused with 429`;
};

const countOr = (count: number | null): string => (count === null ? '–' : countText(count));

const kindText = (kind: string): string => tokenKinds[kind as keyof typeof tokenKinds];

const chargeColumns: readonly Column<ChargeRow>[] = [
  column.name('Request', ({ kind }) => kind),
  column.number('Status', ({ status }) => (status === 0 ? '–' : String(status))),
  column.number('Prompt', ({ prompt }) => countText(prompt)),
  column.number('Usage', ({ used }) => countOr(used)),
  column.number('Charged', ({ charge }) => countOr(charge)),
  column.words('That is', ({ words }) => words),
  column.words({ title: 'What was sent', media: ['html', 'markdown'] }, ({ kind }) =>
    kindText(kind),
  ),
];

/** Builds the document of an examination of a limit of tokens. */
export const tokensDocument = (report: TokenReport): ReportDocument => {
  const { weir, target, model, findings, log, startedAt } = report;
  const { requests } = log.rule;
  const checks = findings.checks.toSorted((a, b) => checkOrder(a) - checkOrder(b));
  const evidence = checks
    .filter(isViolation)
    .flatMap(({ id, evidence: rows }) => rows.map((row) => `${id}: ${row}`));
  const declared = requests === null ? '' : `${countText(requests)} requests and `;
  return {
    weir,
    title: `Token limit of ${target}`,
    description: [
      `Model ${model}: declared limit of ${declared}${perText(log.rule)} per key`,
      requestsText(report),
    ],
    verdict: { text: tokenSentence(report), tone: verdicts[findings.verdict].tone },
    introduction: [
      text(`Why: ${findings.reasons.join('; ')}.`),
      text('Requests: their limit was not examined; `weir limits` without --tokens does that.'),
    ],
    blocks: present([
      section('Facts', [table('What the examination shows of the limit', claimColumns, checks)]),
      only(['terminal', 'markdown'], section('Evidence', [list(evidence)])),
      section('Charges', [
        findings.charges.length === 0
          ? text('Nothing shows what was charged.')
          : table(
              'What was charged for each kind of request, by the remaining tokens of the headers',
              chargeColumns,
              findings.charges,
            ),
      ]),
      only(['terminal'], text(signsMeaning, 'quiet')),
      section('Timeline', [picture(() => tokensTimeline(report))]),
    ]),
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
};

/** Writes the facts as JUnit tests: violated limits fail, undecided facts are skipped, and all others pass. */
export const tokensJunit = (report: TokenReport): string =>
  junitFile({
    name: `weir limits --tokens ${report.target}`,
    startedAt: report.startedAt,
    duration: report.took,
    properties: { weir: report.weir, model: report.model, verdict: report.findings.verdict },
    cases: report.findings.checks.map(caseOf),
    output: [tokenSentence(report), ...report.findings.reasons],
  });

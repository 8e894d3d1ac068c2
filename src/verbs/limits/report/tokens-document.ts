import { isViolation } from '../../../model/limits/limit-log.ts';
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
import { chargingText } from '../../../report/summary/plan-terms.ts';
import type { KeyFindings } from '../model/key-findings.ts';
import { isRefused, tokenKinds, usedTokens } from '../model/token-log.ts';
import type { BurstRow, ChargeRow, TokenReport } from '../model/token-report.ts';
import { wordsOfUnit } from '../model/token-units.ts';
import { caseOf, checkOrder, claimColumns, claimTables, signsMeaning } from './claims.ts';
import {
  limitsSentence,
  limitsAdvice,
  ownerOf,
  sourceOfLimit,
  perWindow,
  verdictOnLimits,
} from './limits-sentence.ts';
import { tokensTimeline } from './tokens-timeline.ts';

const requestsText = ({ log, took }: TokenReport): string => {
  const used = log.replies.reduce((sum, reply) => sum + (usedTokens(reply) ?? 0), 0);
  const refused = log.replies.filter(isRefused).length;
  return `${plural(log.replies.length, 'request')} with ${countText(used)} ${wordsOfUnit(log)} in ${timeText(took)}, ${countText(refused)} refused with 429`;
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

const burstColumns: readonly Column<BurstRow>[] = [
  column.name('Burst', ({ burst }) => countText(burst)),
  column.number('Admitted', ({ admitted }) => countText(admitted)),
  column.number('Refused', ({ refused }) => countText(refused)),
  column.number('Their tokens', ({ tokens }) => countText(tokens)),
  column.number({ title: 'Charged before a refusal', short: 'Before refusal' }, ({ before }) =>
    countOr(before),
  ),
  column.number({ title: 'Tokens at once', short: 'At once' }, ({ atOnce }) => countText(atOnce)),
];

/** The parts of a report on the limit of tokens. The evidence comes first, and the facts follow. */
export const tokenSections = ({ findings, log, ...report }: TokenReport): readonly Section[] => {
  const { charges, bursts, checks } = findings;
  const sorted = checks.toSorted((a, b) => checkOrder(a) - checkOrder(b));
  const { found, others } = claimTables(checks);
  const evidence = sorted
    .filter(isViolation)
    .flatMap(({ id, evidence: rows }) => rows.map((row) => `${id}: ${row}`));
  return [
    section('Charges', [
      charges.length === 0
        ? text('Nothing shows what was charged.')
        : table(
            'What was charged for each kind of request, by the remaining tokens of the headers',
            chargeColumns,
            charges,
          ),
    ]),
    section('Bursts', [
      bursts.length === 0
        ? text('None was sent.')
        : table(
            `What each burst from an idle key was admitted of ${countText(log.rule.tokens)} tokens`,
            burstColumns,
            bursts,
          ),
    ]),
    section('Use of tokens', [picture(() => tokensTimeline({ findings, log, ...report }))]),
    section('Facts', [
      only(
        ['terminal', 'markdown'],
        table('What the examination shows of the limit', claimColumns, sorted),
      ),
      found && only(['html'], found),
      others && only(['html'], others),
      only(['terminal'], text(signsMeaning, 'quiet')),
    ]),
    only(['terminal', 'markdown'], section('Evidence of violations', [list(evidence)])),
  ];
};

/** Returns the examined limits, the number of requests that were sent, and the reasons for the verdict. */
export const tokenTexts = (report: TokenReport) => {
  const { requests, tokens, window } = report.log.rule;
  const beside = requests === null ? '' : `${countText(requests)} requests and `;
  return {
    declared: `${sourceOfLimit(report)} limit of ${beside}${countText(tokens)} ${wordsOfUnit(report.log)} ${perWindow(window)} per ${ownerOf(report.log)}`,
    sent: requestsText(report),
    why: `Why: ${report.findings.reasons.join('; ')}.`,
  };
};

/** Names the setting of a pace that waits exactly as long as the charges of this gateway require. */
export const paceAdvice = ({ findings: { charging } }: TokenReport): readonly Block[] =>
  charging === undefined
    ? []
    : [
        text(
          `Pace: \`charged: {file: token-limits.json}\` waits as these charges need: ${chargingText(charging.charged, charging.settle)}.`,
        ),
      ];

/**
 * Builds the document of an examination of a limit of tokens. If the limit of requests was also examined (`requests`),
 * the first line is about both limits.
 */
export const tokensDocument = (
  report: TokenReport,
  requests: KeyFindings['requests'] = null,
): ReportDocument => {
  const { weir, target, model, startedAt } = report;
  const { declared, sent, why } = tokenTexts(report);
  return {
    weir,
    title: `Token limit of ${target}`,
    description: [`Model ${model}: ${declared}`, sent],
    verdict: verdictOnLimits({ requests, tokens: report }),
    introduction: [
      text(why),
      ...paceAdvice(report),
      text(limitsAdvice({ requests, tokens: report })),
      text(
        requests === null
          ? 'Requests: their limit was not examined; `weir limits` without --tokens does that.'
          : 'Requests: limits.html.',
      ),
    ],
    blocks: tokenSections(report),
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
    output: [limitsSentence({ requests: null, tokens: report }), ...report.findings.reasons],
  });

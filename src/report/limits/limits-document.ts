import { type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type { LimiterFit, LimitReport } from '../../model/limits/limit-report.ts';
import {
  type Column,
  list,
  picture,
  type ReportDocument,
  section,
  table,
  text,
  type Tone,
} from '../document/document.ts';
import { countText, plural, timeText } from '../text/number-text.ts';
import {
  type CheckOutcome,
  checkOutcomeOf,
  checkSectionText,
  identificationText,
  limitsVerdictText,
  requestsSentText,
} from './limits-text.ts';
import { limitsTimeline } from './limits-timeline.ts';

const tones = {
  holds: 'good',
  violated: 'bad',
  'does not hold': 'warning',
  undecided: 'quiet',
} as const satisfies Record<CheckOutcome, Tone>;

const claimColumns: readonly Column<LimitCheck>[] = [
  {
    title: 'Finding',
    holds: 'verdict',
    cell: (check) => ({ text: checkOutcomeOf(check), tone: tones[checkOutcomeOf(check)] }),
  },
  { title: 'Claim', holds: 'name', cell: ({ id }) => id },
  { title: 'Source', holds: 'text', cell: checkSectionText },
  {
    title: 'Observed',
    holds: 'words',
    media: ['terminal'],
    cell: (check) => {
      const isFault = check.finding === 'refuted';
      return isFault ? `${check.claim} Observed: ${check.observed}.` : `${check.observed}.`;
    },
  },
  {
    title: 'Claim and observation',
    holds: 'words',
    media: ['html', 'markdown'],
    cell: ({ claim, observed, evidence }) => ({
      text: claim,
      note: observed,
      details:
        evidence.length === 0
          ? undefined
          : { title: `${plural(evidence.length, 'row')} of evidence`, lines: evidence },
    }),
  },
];

const limiterColumns: readonly Column<LimiterFit>[] = [
  { title: 'Limiter', holds: 'name', cell: ({ limiter }) => limiter },
  { title: 'Wrong', holds: 'number', cell: ({ wrong }) => countText(wrong) },
  { title: 'How it works', holds: 'words', cell: ({ limiter }) => limiterClasses[limiter] },
];

/** The limiter of a gateway and the claims about it, as an examination found them. */
export const limitsDocument = (report: LimitReport): ReportDocument => {
  const { weir, target, model, judgement, log, startedAt } = report;
  const { limit, window } = log.declared.requests;
  const { least, most } = judgement.facts.mostAdmitted;
  const { ranking, tolerated, decisions } = judgement.seen ?? judgement.declared;
  const evidence = judgement.checks.filter((check) => checkOutcomeOf(check) === 'violated');
  const declared = `${countText(limit)} requests in ${timeText(window)}`;
  return {
    weir,
    title: `Limits of ${target}`,
    description: [
      `${target}, model ${model}: declared limit of ${declared} per key`,
      requestsSentText(report),
    ],
    verdict: {
      text: limitsVerdictText(report),
      tone: judgement.violated ? 'bad' : log.cut === null ? 'good' : 'warning',
    },
    introduction: [],
    blocks: [
      section('Limiter', [
        text(`With the declared limit: ${identificationText(judgement.declared, limit, window)}`),
        judgement.seen === null
          ? null
          : text(`With the observed limit: ${identificationText(judgement.seen, limit, window)}`),
        text(
          `Maximum admitted within any ${timeText(window)}: ${least === most ? countText(most) : `between ${countText(least)} and ${countText(most)}`}.`,
        ),
        table(
          `Each class of limiter with its best parameters, replayed over ${plural(decisions, 'decision')}; it fits with at most ${countText(tolerated)} wrong`,
          limiterColumns,
          ranking,
          { media: ['html', 'markdown'] },
        ),
      ]),
      section('Claims', [
        table('Claims about the limits', claimColumns, judgement.checks, {
          showsNotes: true,
        }),
      ]),
      section(
        'Evidence',
        [list(evidence.flatMap(({ id, evidence: rows }) => rows.map((row) => `${id}: ${row}`)))],
        { media: ['terminal', 'markdown'] },
      ),
      text(
        '✓ holds · ✗ violates a limit (exit 14) · ! does not hold, but violates no limit · ? undecided by this examination',
        'quiet',
        ['terminal'],
      ),
      section('Timeline', [picture(() => limitsTimeline(report))]),
    ],
    footer: `Measured by Weir ${weir}, started ${startedAt}.`,
  };
};

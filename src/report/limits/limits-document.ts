import { type LimitCheck, limiterClasses } from '../../model/limits/limit-log.ts';
import type { LimiterFit, LimitReport } from '../../model/limits/limit-report.ts';
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
  column.verdict('Finding', (check) => ({
    text: checkOutcomeOf(check),
    tone: tones[checkOutcomeOf(check)],
  })),
  column.name('Claim', ({ id }) => id),
  column.text('Source', checkSectionText),
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

import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
import type { Result } from '../../model/result/result.ts';
import type { Trust, TrustSignal } from '../../model/result/verdict.ts';
import {
  type Block,
  type Column,
  fold,
  list,
  section,
  type Section,
  table,
  text,
  type Tone,
  trustTones,
} from '../document/document.ts';
import {
  goodputSentence,
  objectiveIntervalText,
  type ObjectiveOutcome,
  objectiveObservedText,
  objectiveOutcome,
  objectiveReasonText,
  objectivesOutcome,
  objectivesSentence,
} from '../summary/objective-text.ts';
import { runLimitsVerdict } from '../summary/run-limits-text.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { countText, plural } from '../text/number-text.ts';

const objectiveTones = {
  kept: 'good',
  broken: 'bad',
  warning: 'warning',
  undecided: 'quiet',
} as const satisfies Record<ObjectiveOutcome, Tone>;

const limitTones = { kept: 'good', violated: 'bad', undecided: 'warning' } as const;

const evidenceColumns: readonly Column<TrustSignal>[] = [
  { title: 'Signal', holds: 'name', cell: ({ signal }) => signal },
  {
    title: 'Level',
    holds: 'verdict',
    cell: ({ level }) => ({ text: level, tone: trustTones[level] }),
  },
  { title: 'Observed', holds: 'words', cell: ({ observed }) => observed },
  { title: 'Healthy', holds: 'words', cell: ({ expected }) => expected },
  { title: 'What to do', holds: 'words', cell: ({ advice }) => advice ?? '–' },
];

/** The signals that are not healthy in words, and for HTML all of them in a table. */
const evidenceBlocks = ({ level, evidence }: Trust): readonly Block[] => {
  const findings = evidence.filter((each) => each.level !== 'valid');
  const caption = 'Signals of the load generator';
  return [
    {
      kind: 'list',
      items: findings.map(({ level: found, signal, observed, expected, advice }) => ({
        text: `${found}: ${signal}, ${observed} (healthy: ${expected}). ${advice ?? ''}`.trim(),
        tone: trustTones[found],
      })),
      media: ['terminal', 'markdown'],
    },
    {
      ...fold(
        `Evidence: ${plural(evidence.length, 'signal')} of the load generator`,
        [table(caption, evidenceColumns, evidence, { look: 'evidence' })],
        level !== 'valid',
      ),
      media: ['html'],
    },
  ];
};

/** Whether to trust the figures, and what else belongs to the verdict on a run. */
export const runIntroduction = (result: Result, trust: Trust): readonly Block[] => {
  const limits = runLimitsVerdict(result);
  return [
    ...runVerdict(result, trust).sentences.map((sentence) => text(sentence)),
    ...(limits === null ? [] : [text(`${limits.text}.`, limitTones[limits.outcome])]),
    list(result.notes),
    ...evidenceBlocks(trust),
  ];
};

/** The tone of the worst of a run's verdicts. */
export const gravestTone = (result: Result, trust: Trust): Tone => {
  const { level } = runVerdict(result, trust);
  const outcome = objectivesOutcome(result.verdicts ?? []);
  const isBroken = outcome === 'broken' || runLimitsVerdict(result)?.outcome === 'violated';
  if (level === 'invalid' || isBroken) return 'bad';
  return level === 'valid' && (outcome ?? 'kept') === 'kept' ? 'good' : 'warning';
};

const objectiveColumns: readonly Column<ObjectiveVerdict>[] = [
  { title: 'Objective', holds: 'name', cell: ({ text: words }) => words },
  {
    title: 'Verdict',
    holds: 'verdict',
    cell: (verdict) => {
      const outcome = objectiveOutcome(verdict);
      return { text: outcome, tone: objectiveTones[outcome] };
    },
  },
  { title: 'Observed', holds: 'number', cell: objectiveObservedText },
  {
    title: '95 % interval',
    holds: 'number',
    cell: (verdict) => objectiveIntervalText(verdict) ?? '–',
  },
  { title: 'n', holds: 'number', cell: ({ n }) => (n === null ? '–' : countText(n)) },
  { title: 'Remark', holds: 'words', cell: (verdict) => objectiveReasonText(verdict) ?? '' },
];

/** The objectives of a run; empty if it has none. */
export const objectivesSection = (result: Result): Section => {
  const verdicts = result.verdicts ?? [];
  const outcome = objectivesOutcome(verdicts);
  return section('Objectives', [
    text(
      outcome === null ? '' : `${objectivesSentence(verdicts)}.`,
      outcome === null ? 'plain' : objectiveTones[outcome],
    ),
    table('Objectives of the run', objectiveColumns, verdicts),
    text(goodputSentence(result) ?? ''),
    text(
      outcome === null
        ? ''
        : 'The observed value decides. The interval is the uncertainty of that value in this run alone (percentiles: order statistics; shares: Wilson). How much runs differ is a matter for a comparison. An objective without enough samples has no data and is not kept.',
      'quiet',
      ['html'],
    ),
  ]);
};

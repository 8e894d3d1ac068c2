import type { Failure, Result } from '../../model/result.ts';
import { arrivalsIn, outcomesOf } from '../../model/outcomes.ts';
import type { Trust, TrustLevel } from '../../model/verdict.ts';
import { type Figures, kindFigures, kindsPresent, shownQuantiles } from '../figures.ts';
import { countText, figureText, plural, shareText, timeText } from '../number-text.ts';
import {
  boundsText,
  goodputSentence,
  type ObjectiveOutcome,
  objectiveOutcome,
  objectivesOutcome,
  objectivesSentence,
  observedText,
  reasonText,
} from '../objective-words.ts';
import { arrivalRow, arrivalRows } from '../outcome-words.ts';
import { rateSentences } from '../rates.ts';
import { runLimitsVerdict } from '../run-limit-words.ts';
import { runVerdict } from '../run-verdict.ts';
import { addressText } from '../scenario-list.ts';
import { markdownTable, plainText } from './markdown-text.ts';

/** More failures and notes than these are counted, not shown: a job page is no log. */
const shown = 20;

const levelSign = { valid: '✅', degraded: '⚠️', invalid: '❌' } as const satisfies Record<
  TrustLevel,
  string
>;

const outcomeSign = {
  kept: '✅',
  broken: '❌',
  warning: '⚠️',
  undecided: '❔',
} as const satisfies Record<ObjectiveOutcome, string>;

const limitSign = { kept: '✅', violated: '❌', undecided: '❔' } as const;

/** One sign for the whole: a page that begins with a tick must hold no broken objective. */
const signOf = (level: TrustLevel, outcome: ObjectiveOutcome | null): string => {
  if (level === 'invalid' || outcome === 'broken') return levelSign.invalid;
  return level === 'valid' && (outcome ?? 'kept') === 'kept' ? levelSign.valid : levelSign.degraded;
};

const verdictPart = (result: Result, trust: Trust): readonly string[] => {
  const { level, title, sentences } = runVerdict(result, trust);
  const verdicts = result.verdicts ?? [];
  const outcome = objectivesOutcome(verdicts);
  const sentence = objectivesSentence(verdicts);
  const limits = runLimitsVerdict(result);
  const findings = trust.evidence
    .filter((each) => each.level !== 'valid')
    .map(({ signal, observed, expected }) =>
      plainText(`${signal}: ${observed} (healthy: ${expected})`),
    );
  return [
    `## ${limits?.outcome === 'violated' ? levelSign.invalid : signOf(level, outcome)} Weir: ${plainText(result.plan.name)}`,
    `**${title}.** ${sentences.map(plainText).join(' ')}`,
    ...(findings.length === 0 ? [] : [findings.map((finding) => `- ${finding}`).join('\n')]),
    ...(outcome === null || sentence === null ? [] : [`**${outcomeSign[outcome]} ${sentence}.**`]),
    ...(limits === null ? [] : [`**${limitSign[limits.outcome]} ${plainText(limits.text)}.**`]),
  ];
};

const objectivesPart = (result: Result): readonly string[] => {
  const verdicts = result.verdicts ?? [];
  const goodput = goodputSentence(result);
  const rows = verdicts.map((verdict) => {
    const outcome = objectiveOutcome(verdict);
    return [
      `${outcomeSign[outcome]} ${outcome}`,
      plainText(verdict.text),
      observedText(verdict),
      boundsText(verdict) ?? '–',
      verdict.n === null ? '–' : countText(verdict.n),
      reasonText(verdict) ?? '',
    ];
  });
  const head = ['', 'objective', 'seen', '95 % interval', 'n', ''];
  return [
    ...(rows.length === 0 ? [] : [markdownTable(head, rows, head.length)]),
    ...(goodput === null ? [] : [plainText(goodput)]),
  ];
};

const arrivalsPart = (result: Result): string => {
  const rows = arrivalRows(result);
  const due = arrivalRow(rows, 'due').measured;
  return markdownTable(
    ['arrivals', '', 'share'],
    rows
      .filter(({ name, measured }) => name === 'due' || name === 'completed' || measured > 0)
      .map(({ name, measured }) => [name, countText(measured), shareText(measured, due)]),
    1,
  );
};

const figureRow = (kind: string, { subject, n, quantiles, max, withheld }: Figures): string[] => [
  kind,
  subject.short,
  subject.unit,
  countText(n),
  ...quantiles.map(({ value, weak }) =>
    withheld ? 'withheld' : `${weak ? '&#126;' : ''}${figureText(value, subject.unit)}`,
  ),
  withheld ? 'withheld' : figureText(max, subject.unit),
];

const figuresPart = (result: Result, trust: Trust): readonly string[] => {
  const rows = kindsPresent(result).flatMap((kind) =>
    kindFigures(result, trust, kind).headline.map((figures) => figureRow(kind, figures)),
  );
  if (rows.length === 0) return [];
  const quantiles = shownQuantiles.map((q) => `p${q * 100}`);
  return [
    markdownTable(['traffic', 'measure', 'unit', 'n', ...quantiles, 'max'], rows, 3),
    '&#126; marks a percentile with fewer than ten samples beyond it.',
  ];
};

const failureRow = (failure: Failure, arrivals: number): string[] => [
  countText(failure.count),
  shareText(failure.count, arrivals),
  `${failure.outcome} ${failure.traffic}`,
  plainText([failure.status ?? '', failure.cause].filter((part) => part !== '').join(' ')),
  plainText(failure.message),
  plainText(failure.example.requestId),
];

const failuresPart = (result: Result): readonly string[] => {
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  if (failures.length === 0) return [];
  const arrivals = arrivalsIn(outcomesOf(result.groups));
  const rows = failures.slice(0, shown).map((failure) => failureRow(failure, arrivals));
  const more = failures.length - rows.length;
  return [
    markdownTable(['failures', 'share', 'what', 'cause', 'message', 'for example'], rows, 9),
    ...(more === 0 ? [] : [`And ${plural(more, 'other kind')} of failure.`]),
  ];
};

/**
 * A run for the page of a CI job, in GitHub's Markdown: the verdict first, then tables. Every part of
 * it is bounded, so that it stays far below the 1 MiB that GitHub takes.
 */
export const stepSummary = (result: Result, trust: Trust): string => {
  const notes = result.notes.slice(0, shown).map((note) => `- ${plainText(note)}`);
  const about = [
    addressText(result.baseUrl),
    `${timeText(result.scheduled)} of load`,
    `begun ${result.startedAt}`,
    `Weir ${result.weir}`,
  ];
  return [
    ...verdictPart(result, trust),
    ...objectivesPart(result),
    arrivalsPart(result),
    ...figuresPart(result, trust),
    ...rateSentences(result).map(plainText),
    ...failuresPart(result),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    plainText(`${about.join(', ')}.`),
    '',
  ].join('\n\n');
};

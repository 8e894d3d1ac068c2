import type { Failure, Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Trust, TrustLevel } from '../../model/result/verdict.ts';
import {
  type MeasureFigures,
  kindFigures,
  kindsPresent,
  reportedQuantiles,
} from '../summary/figures.ts';
import { countText, figureText, plural, shareText, timeText } from '../text/number-text.ts';
import {
  objectiveIntervalText,
  goodputSentence,
  type ObjectiveOutcome,
  objectiveOutcome,
  objectivesOutcome,
  objectivesSentence,
  objectiveObservedText,
  objectiveReasonText,
} from '../summary/objective-text.ts';
import { arrivalRow, arrivalRows } from '../summary/outcome-text.ts';
import { rateSentences } from '../summary/rates.ts';
import { runLimitsVerdict } from '../summary/run-limits-text.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { addressText } from '../summary/plan-terms.ts';
import { markdownTable, boundedMarkdown } from './markdown-text.ts';

/** More failures and notes than these are counted, not shown: a job page is no log. */
const maxShownRows = 20;

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
      boundedMarkdown(`${signal}: ${observed} (healthy: ${expected})`),
    );
  return [
    `## ${limits?.outcome === 'violated' ? levelSign.invalid : signOf(level, outcome)} Weir: ${boundedMarkdown(result.plan.name)}`,
    `**${title}.** ${sentences.map(boundedMarkdown).join(' ')}`,
    ...(findings.length === 0 ? [] : [findings.map((finding) => `- ${finding}`).join('\n')]),
    ...(outcome === null || sentence === null ? [] : [`**${outcomeSign[outcome]} ${sentence}.**`]),
    ...(limits === null
      ? []
      : [`**${limitSign[limits.outcome]} ${boundedMarkdown(limits.text)}.**`]),
  ];
};

const objectivesPart = (result: Result): readonly string[] => {
  const verdicts = result.verdicts ?? [];
  const goodput = goodputSentence(result);
  const rows = verdicts.map((verdict) => {
    const outcome = objectiveOutcome(verdict);
    return [
      `${outcomeSign[outcome]} ${outcome}`,
      boundedMarkdown(verdict.text),
      objectiveObservedText(verdict),
      objectiveIntervalText(verdict) ?? '–',
      verdict.n === null ? '–' : countText(verdict.n),
      objectiveReasonText(verdict) ?? '',
    ];
  });
  const head = ['', 'objective', 'seen', '95 % interval', 'n', ''];
  return [
    ...(rows.length === 0 ? [] : [markdownTable(head, rows, head.length)]),
    ...(goodput === null ? [] : [boundedMarkdown(goodput)]),
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

const figureRow = (
  kind: string,
  { subject, n, quantiles, max, withheld }: MeasureFigures,
): string[] => [
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
  const quantiles = reportedQuantiles.map((q) => `p${q * 100}`);
  return [
    markdownTable(['traffic', 'measure', 'unit', 'n', ...quantiles, 'max'], rows, 3),
    '&#126; marks a percentile with fewer than ten samples beyond it.',
  ];
};

const failureRow = (failure: Failure, arrivals: number): string[] => [
  countText(failure.count),
  shareText(failure.count, arrivals),
  `${failure.outcome} ${failure.traffic}`,
  boundedMarkdown([failure.status ?? '', failure.cause].filter((part) => part !== '').join(' ')),
  boundedMarkdown(failure.message),
  boundedMarkdown(failure.example.requestId),
];

const failuresPart = (result: Result): readonly string[] => {
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  if (failures.length === 0) return [];
  const arrivals = countArrivals(sumOutcomes(result.groups));
  const rows = failures.slice(0, maxShownRows).map((failure) => failureRow(failure, arrivals));
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
  const notes = result.notes.slice(0, maxShownRows).map((note) => `- ${boundedMarkdown(note)}`);
  const runDetails = [
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
    ...rateSentences(result).map(boundedMarkdown),
    ...failuresPart(result),
    ...(notes.length === 0 ? [] : [notes.join('\n')]),
    boundedMarkdown(`${runDetails.join(', ')}.`),
    '',
  ].join('\n\n');
};

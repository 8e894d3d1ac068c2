import { answerNotes, type OutcomeKind } from '../../model/observation.ts';
import type { Failure, Result } from '../../model/result.ts';
import { arrivalsIn, outcomesOf } from '../../model/outcomes.ts';
import type { Evidence, Trust, TrustLevel } from '../../model/verdict.ts';
import { attemptSentences } from '../attempts.ts';
import { kindFigures, kindsPresent, lagFigures } from '../figures.ts';
import { meanWordErrors } from '../mean-word-errors.ts';
import { countText, momentText, plural, shareText, timeText } from '../number-text.ts';
import { failureText } from '../failure-text.ts';
import { type OddAnswers, oddAnswers } from '../odd-answers.ts';
import { type ArrivalRow, arrivalRow, arrivalRows } from '../outcome-words.ts';
import { printable } from '../printable.ts';
import { rateSentences, wholeRun } from '../rates.ts';
import { runVerdict } from '../run-verdict.ts';
import { addressText, loadText, mixText } from '../scenario-list.ts';
import { tokenNotes } from '../token-notes.ts';
import { costLines } from './cost-lines.ts';
import { figuresLegend, figuresTable } from './figures-table.ts';
import { keyLines, limitVerdictLines } from './key-lines.ts';
import { kindLines } from './kind-lines.ts';
import { partLines } from './part-lines.ts';
import { objectiveLines } from './objective-lines.ts';
import { paragraph, type Screen, screenOf, type Style, tableLines } from './screen.ts';
import { slicesText } from '../slices-text.ts';

type Lines = readonly string[];

const levelStyle = {
  valid: 'good',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<TrustLevel, Style>;

const outcomeStyle = {
  completed: 'good',
  limited: 'warning',
  refused: 'bad',
  malformed: 'bad',
  broken: 'bad',
  dropped: 'bad',
} as const satisfies Record<OutcomeKind, Style>;

const titled = (screen: Screen, title: string, lines: Lines): Lines =>
  lines.length === 0 ? [] : ['', screen.paint('strong', title), ...lines];

const evidenceLines = (screen: Screen, evidence: Evidence): Lines => {
  const { signal, level, observed, expected, advice } = evidence;
  return [
    ...paragraph(screen, `${level}: ${signal}, ${observed} (healthy: ${expected})`, {
      style: levelStyle[level],
    }),
    ...(advice === null ? [] : paragraph(screen, advice, { indent: 4 })),
  ];
};

const verdictLines = (screen: Screen, result: Result, trust: Trust): Lines => {
  const { level, title, sentences } = runVerdict(result, trust);
  const findings = trust.evidence.filter((evidence) => evidence.level !== 'valid');
  return [
    screen.paint(levelStyle[level], `■ ${title.toUpperCase()}`),
    ...sentences.flatMap((sentence) => paragraph(screen, printable(sentence))),
    ...findings.flatMap((evidence) => evidenceLines(screen, evidence)),
  ];
};

const runLines = (screen: Screen, result: Result): Lines => {
  const { plan } = result;
  const warmUp = plan.warmUp === 0 ? 'no warm-up' : `the first ${timeText(plan.warmUp)} warm-up`;
  const keys = `${plural(plan.keys.length, 'key')}: ${plan.keys.map(({ name }) => name).join(', ')}`;
  return [
    `${plan.name} → ${addressText(result.baseUrl)}`,
    `${timeText(result.scheduled)} of load, ${timeText(wholeRun(result))} in all, ${warmUp}; ${[keys, ...slicesText(result)].join('; ')}`,
    ...plan.stages.map((stage) => `${stage.name}: ${loadText(stage.load)}; ${mixText(stage)}`),
  ].flatMap((text) => paragraph(screen, printable(text)));
};

const arrivalLines = (screen: Screen, result: Result): Lines => {
  const rows = arrivalRows(result);
  const due = arrivalRow(rows, 'due');
  const apart = due.measured !== due.all;
  const styleOf = ({ name, all }: ArrivalRow): Style =>
    all === 0 ? 'quiet' : name === 'due' || name === 'sent' ? 'plain' : outcomeStyle[name];
  return tableLines(screen, {
    head: ['', 'arrivals', 'share', ...(apart ? ['after warm-up', 'share'] : [])],
    rows: rows.map((row) => [
      { text: row.name, style: styleOf(row) },
      { text: countText(row.all) },
      { text: shareText(row.all, due.all), style: 'quiet' },
      ...(apart
        ? [
            { text: countText(row.measured) },
            { text: shareText(row.measured, due.measured), style: 'quiet' as const },
          ]
        : []),
    ]),
    rightFrom: 1,
  });
};

const figureLines = (screen: Screen, result: Result, trust: Trust): Lines => {
  const lag = lagFigures(result);
  const sections = [
    ...kindsPresent(result).map((kind) => ({
      title: kind,
      rows: kindFigures(result, trust, kind).headline,
    })),
    { title: 'generator', rows: lag === null ? [] : [lag] },
  ].filter(({ rows }) => rows.length > 0);
  if (sections.length === 0) return [];
  const wordErrors = meanWordErrors(result);
  return [
    ...figuresTable(screen, sections),
    '',
    ...kindsPresent(result).flatMap((kind) =>
      tokenNotes(result, kind).flatMap((note) => paragraph(screen, `${kind}: ${note}`)),
    ),
    ...(wordErrors === null ? [] : paragraph(screen, wordErrors)),
    ...paragraph(screen, figuresLegend, { style: 'quiet' }),
  ];
};

const oddLines = (screen: Screen, { kind, note, count, completed }: OddAnswers): Lines => [
  ...paragraph(
    screen,
    `${countText(count)} × ${kind}: ${note} (${shareText(count, completed)} of its completed answers)`,
  ),
  ...paragraph(screen, answerNotes[note], { indent: 4, style: 'quiet' }),
];

const failureLines = (screen: Screen, failure: Failure, arrivals: number): Lines => {
  const { outcome, traffic, status, cause, count, first, last, example } = failure;
  const what = [status ?? '', cause].filter((part) => part !== '').join(' ');
  const when =
    first === last ? `at ${momentText(first)}` : `${momentText(first)} to ${momentText(last)}`;
  const server = example.serverId === null ? '' : `, server id ${example.serverId}`;
  return [
    ...paragraph(
      screen,
      `${countText(count)} × ${outcome} ${traffic}: ${printable(what)} (${shareText(count, arrivals)} of arrivals, ${when})`,
      { style: outcomeStyle[outcome] },
    ),
    ...paragraph(screen, printable(failureText(failure)), { indent: 4 }),
    ...paragraph(screen, printable(`for example ${example.requestId}${server}`), {
      indent: 4,
      style: 'quiet',
    }),
  ];
};

/**
 * What a person reads after a run: whether to believe it, what ran, what became of every arrival,
 * the headline figures with their uncertainty, limits and failures. No line is wider than `width`
 * (at least 60); without `colour` there are no escape sequences, and none that a server sent pass.
 */
export const terminalReport = (
  result: Result,
  trust: Trust,
  options: { readonly colour: boolean; readonly width: number },
): string => {
  const screen = screenOf(options);
  const arrivals = arrivalsIn(outcomesOf(result.groups));
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  return [
    ...verdictLines(screen, result, trust),
    ...objectiveLines(screen, result),
    ...limitVerdictLines(screen, result),
    ...titled(screen, 'What ran', runLines(screen, result)),
    ...titled(screen, 'Arrivals', arrivalLines(screen, result)),
    ...titled(screen, 'Arrivals by kind of traffic, whole run', kindLines(screen, result)),
    ...titled(
      screen,
      'Retries and pace',
      attemptSentences(result).flatMap((text) => paragraph(screen, text)),
    ),
    ...titled(screen, 'Figures', figureLines(screen, result, trust)),
    ...(['stage', 'entry'] as const).flatMap((label) =>
      titled(screen, `Figures by ${label}, after the warm-up`, partLines(screen, result, label)),
    ),
    ...titled(
      screen,
      'Rates',
      rateSentences(result).flatMap((text) => paragraph(screen, text)),
    ),
    ...titled(screen, 'Cost and audio', costLines(screen, result)),
    ...titled(screen, 'Rate limits by key', keyLines(screen, result)),
    ...titled(
      screen,
      'Failures',
      failures.flatMap((failure) => failureLines(screen, failure, arrivals)),
    ),
    ...titled(
      screen,
      'Odd in completed answers, and tolerated',
      oddAnswers(result).flatMap((odd) => oddLines(screen, odd)),
    ),
    ...titled(
      screen,
      'Notes',
      result.notes.flatMap((note) => paragraph(screen, printable(note))),
    ),
    '',
  ].join('\n');
};

import { loadText } from '../summary/load-text.ts';
import { answerNotes, type OutcomeKind } from '../../model/observation/outcome.ts';
import type { Failure, Result } from '../../model/result/result.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { TrustSignal, Trust, TrustLevel } from '../../model/result/verdict.ts';
import { retrySentences } from '../summary/retry-text.ts';
import { kindFigures, kindsPresent, lagFigures } from '../summary/figures.ts';
import { wordErrorSentence } from '../summary/word-error-text.ts';
import { countText, momentText, plural, shareText, timeText } from '../text/number-text.ts';
import { failureText } from '../summary/failure-text.ts';
import { type AnswerNoteCount, answerNoteCounts } from '../summary/answer-notes.ts';
import { type ArrivalRow, arrivalRow, arrivalRows } from '../summary/outcome-text.ts';
import { printable } from '../text/printable.ts';
import { rateSentences, runDuration } from '../summary/rates.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { addressText, trafficMixText } from '../summary/plan-terms.ts';
import { tokenNotes } from '../summary/token-notes.ts';
import { costLines } from './cost-lines.ts';
import { figuresLegend, figuresTableLines } from './figures-table.ts';
import { keyLines, limitVerdictLines } from './key-lines.ts';
import { arrivalsByKindLines } from './arrivals-by-kind-lines.ts';
import { breakdownLines } from './breakdown-lines.ts';
import { objectiveLines } from './objective-lines.ts';
import {
  paragraph,
  type TerminalLayout,
  terminalLayout,
  type TextStyle,
  tableLines,
} from './terminal-layout.ts';
import { slicesText } from '../summary/slices-text.ts';

type Lines = readonly string[];

const levelStyle = {
  valid: 'good',
  degraded: 'warning',
  invalid: 'bad',
} as const satisfies Record<TrustLevel, TextStyle>;

const outcomeStyle = {
  completed: 'good',
  limited: 'warning',
  refused: 'bad',
  malformed: 'bad',
  broken: 'bad',
  dropped: 'bad',
} as const satisfies Record<OutcomeKind, TextStyle>;

const titled = (layout: TerminalLayout, title: string, lines: Lines): Lines =>
  lines.length === 0 ? [] : ['', layout.paint('strong', title), ...lines];

const evidenceLines = (layout: TerminalLayout, evidence: TrustSignal): Lines => {
  const { signal, level, observed, expected, advice } = evidence;
  return [
    ...paragraph(layout, `${level}: ${signal}, ${observed} (healthy: ${expected})`, {
      style: levelStyle[level],
    }),
    ...(advice === null ? [] : paragraph(layout, advice, { indent: 4 })),
  ];
};

const verdictLines = (layout: TerminalLayout, result: Result, trust: Trust): Lines => {
  const { level, title, sentences } = runVerdict(result, trust);
  const findings = trust.evidence.filter((evidence) => evidence.level !== 'valid');
  return [
    layout.paint(levelStyle[level], `■ ${title.toUpperCase()}`),
    ...sentences.flatMap((sentence) => paragraph(layout, printable(sentence))),
    ...findings.flatMap((evidence) => evidenceLines(layout, evidence)),
  ];
};

const runLines = (layout: TerminalLayout, result: Result): Lines => {
  const { plan } = result;
  const warmUp = plan.warmUp === 0 ? 'no warm-up' : `the first ${timeText(plan.warmUp)} warm-up`;
  const keys = `${plural(plan.keys.length, 'key')}: ${plan.keys.map(({ name }) => name).join(', ')}`;
  return [
    `${plan.name} → ${addressText(result.baseUrl)}`,
    `${timeText(result.scheduled)} of load, ${timeText(runDuration(result))} in all, ${warmUp}; ${[keys, ...slicesText(result)].join('; ')}`,
    ...plan.stages.map(
      (stage) => `${stage.name}: ${loadText(stage.load)}; ${trafficMixText(stage)}`,
    ),
  ].flatMap((text) => paragraph(layout, printable(text)));
};

const arrivalLines = (layout: TerminalLayout, result: Result): Lines => {
  const rows = arrivalRows(result);
  const due = arrivalRow(rows, 'due');
  const apart = due.measured !== due.all;
  const styleOf = ({ name, all }: ArrivalRow): TextStyle =>
    all === 0 ? 'quiet' : name === 'due' || name === 'sent' ? 'plain' : outcomeStyle[name];
  return tableLines(layout, {
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

const figureLines = (layout: TerminalLayout, result: Result, trust: Trust): Lines => {
  const lag = lagFigures(result);
  const sections = [
    ...kindsPresent(result).map((kind) => ({
      title: kind,
      rows: kindFigures(result, trust, kind).headline,
    })),
    { title: 'generator', rows: lag === null ? [] : [lag] },
  ].filter(({ rows }) => rows.length > 0);
  if (sections.length === 0) return [];
  const wordErrors = wordErrorSentence(result);
  return [
    ...figuresTableLines(layout, sections),
    '',
    ...kindsPresent(result).flatMap((kind) =>
      tokenNotes(result, kind).flatMap((note) => paragraph(layout, `${kind}: ${note}`)),
    ),
    ...(wordErrors === null ? [] : paragraph(layout, wordErrors)),
    ...paragraph(layout, figuresLegend, { style: 'quiet' }),
  ];
};

const answerNoteLines = (
  layout: TerminalLayout,
  { kind, note, count, completed }: AnswerNoteCount,
): Lines => [
  ...paragraph(
    layout,
    `${countText(count)} × ${kind}: ${note} (${shareText(count, completed)} of its completed answers)`,
  ),
  ...paragraph(layout, answerNotes[note], { indent: 4, style: 'quiet' }),
];

const failureLines = (layout: TerminalLayout, failure: Failure, arrivals: number): Lines => {
  const { outcome, traffic, status, cause, count, first, last, example } = failure;
  const what = [status ?? '', cause].filter((part) => part !== '').join(' ');
  const when =
    first === last ? `at ${momentText(first)}` : `${momentText(first)} to ${momentText(last)}`;
  const server = example.serverId === null ? '' : `, server id ${example.serverId}`;
  return [
    ...paragraph(
      layout,
      `${countText(count)} × ${outcome} ${traffic}: ${printable(what)} (${shareText(count, arrivals)} of arrivals, ${when})`,
      { style: outcomeStyle[outcome] },
    ),
    ...paragraph(layout, printable(failureText(failure)), { indent: 4 }),
    ...paragraph(layout, printable(`for example ${example.requestId}${server}`), {
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
  const layout = terminalLayout(options);
  const arrivals = countArrivals(sumOutcomes(result.groups));
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  return [
    ...verdictLines(layout, result, trust),
    ...objectiveLines(layout, result),
    ...limitVerdictLines(layout, result),
    ...titled(layout, 'What ran', runLines(layout, result)),
    ...titled(layout, 'Arrivals', arrivalLines(layout, result)),
    ...titled(
      layout,
      'Arrivals by kind of traffic, whole run',
      arrivalsByKindLines(layout, result),
    ),
    ...titled(
      layout,
      'Retries and pace',
      retrySentences(result).flatMap((text) => paragraph(layout, text)),
    ),
    ...titled(layout, 'Figures', figureLines(layout, result, trust)),
    ...(['stage', 'entry'] as const).flatMap((label) =>
      titled(
        layout,
        `Figures by ${label}, after the warm-up`,
        breakdownLines(layout, result, label),
      ),
    ),
    ...titled(
      layout,
      'Rates',
      rateSentences(result).flatMap((text) => paragraph(layout, text)),
    ),
    ...titled(layout, 'Cost and audio', costLines(layout, result)),
    ...titled(layout, 'Rate limits by key', keyLines(layout, result)),
    ...titled(
      layout,
      'Failures',
      failures.flatMap((failure) => failureLines(layout, failure, arrivals)),
    ),
    ...titled(
      layout,
      'Odd in completed answers, and tolerated',
      answerNoteCounts(result).flatMap((noteCount) => answerNoteLines(layout, noteCount)),
    ),
    ...titled(
      layout,
      'Notes',
      result.notes.flatMap((note) => paragraph(layout, printable(note))),
    ),
    '',
  ].join('\n');
};

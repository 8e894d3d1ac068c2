import { type MeasureName, measures } from '../../model/measures/measures.ts';
import { countArrivals, sumOutcomes } from '../../model/measures/outcome-counts.ts';
import type { Failure, Result } from '../../model/result/result.ts';
import { groupsMatching } from '../../model/result/summary.ts';
import type { Trust } from '../../model/result/verdict.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import {
  type Cell,
  column,
  type Column,
  isShown,
  table,
  type Tone,
  tones,
} from '../document/document.ts';
import {
  terminalLayout,
  type TerminalLayout,
  type TerminalStyle,
  terminalTableLines,
} from '../document/terminal-table.ts';
import { causeText } from '../summary/cause-text.ts';
import {
  type KindFigures,
  kindFigures,
  kindsPresent,
  measuredOf,
  type MeasureFigures,
} from '../summary/figures.ts';
import {
  objectiveFindingText,
  objectiveOutcome,
  objectivesSentence,
} from '../summary/objective-text.ts';
import { addressText } from '../summary/plan-terms.ts';
import { measuredRates, runDuration } from '../summary/rates.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { loadText } from '../summary/workload-text.ts';
import { truncatedText, wrappedLines } from '../text/display-width.ts';
import { countText, figureText, plural, shareText, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { printable } from '../text/printable.ts';
import { costText, runTotalsOf } from './cost.ts';
import { gravestTone, limitsVerdict, objectiveTones } from './verdict.ts';

/** A run in at most 20 lines of a terminal, and its verdict in at most three more, which come last, after the names of the files. */

type Lines = readonly string[];

/** More of these are counted, not listed. */
const mostFailures = 3;
const mostObjectives = 2;
const mostNotes = 1;

/** How long a user waits for the first sign of an answer, where a kind of traffic has such a sign. */
const firstSigns: readonly MeasureName[] = ['ttft', 'firstAudio'];
const subjectOf = (name: MeasureName) => measures[name];

interface KindRow {
  readonly kind: TrafficKind;
  readonly due: number;
  readonly completed: number;
  readonly limited: number;
  readonly figures: KindFigures;
}

const figuresOf = ({ figures }: KindRow, names: readonly MeasureName[]): MeasureFigures | null => {
  const rows = [...figures.headline, ...figures.otherMeasures];
  return rows.find(({ subject }) => names.some((name) => subjectOf(name) === subject)) ?? null;
};

/** `~`: few samples beyond it; `±`: the load generator may have moved it. */
const percentileCell = (figures: MeasureFigures | null, q: number): Cell => {
  const found = figures?.quantiles.find((each) => each.q === q);
  if (figures === null || found === undefined) return { text: '–', tone: 'quiet' };
  const { value, weak, error } = found;
  const isMoved = error !== null && !error.isSmall;
  const text = `${weak ? '~' : ''}${figureText(value, figures.subject.unit)}${isMoved ? '±' : ''}`;
  return { text, tone: isMoved ? 'warning' : weak ? 'quiet' : 'plain' };
};

const percentileColumns = (
  names: readonly MeasureName[],
  title: string,
): readonly Column<KindRow>[] =>
  [0.5, 0.95, 0.99].map((q) =>
    column.number({ title: q === 0.5 ? `${title} p50` : `p${q * 100}`, spare: q === 0.95 }, (row) =>
      percentileCell(figuresOf(row, names), q),
    ),
  );

const kindColumns: readonly Column<KindRow>[] = [
  column.name('in ms', ({ kind }) => kind),
  column.number('n', ({ due }) => countText(due)),
  column.number('completed', ({ completed, due }) => ({
    text: shareText(completed, due),
    tone: completed === due ? 'plain' : 'warning',
  })),
  column.number('429', ({ limited }) => ({
    text: countText(limited),
    tone: limited === 0 ? 'quiet' : 'warning',
  })),
  ...percentileColumns(firstSigns, 'TTFT'),
  ...percentileColumns(['endToEnd'], 'end to end'),
];

const kindRows = (result: Result, trust: Trust): readonly KindRow[] =>
  kindsPresent(result).map((kind) => {
    const outcomes = sumOutcomes(groupsMatching(result, measuredOf(kind)));
    const { completed, limited } = outcomes;
    const due = countArrivals(outcomes);
    return { kind, due, completed, limited, figures: kindFigures(result, trust, kind) };
  });

/** Explains the marks that the table has. */
const marksText = (lines: Lines): string | null => {
  const has = (mark: string): boolean => lines.some((line) => line.includes(mark));
  const marks = present([
    has('~') && '~ fewer than ten samples beyond it',
    has('±') && '± the load generator may have moved it',
  ]);
  return marks.length === 0 ? null : marks.join('; ');
};

const ratesText = (result: Result): string | null => {
  const rates = measuredRates(result);
  if (rates === null) return null;
  const { sent, completed, inputTokens, outputTokens } = rates;
  return present([
    `${figureText(sent)}/s sent`,
    `${figureText(completed)}/s completed`,
    inputTokens !== null && `${figureText(inputTokens)}/s input tokens`,
    outputTokens !== null && `${figureText(outputTokens)}/s output tokens`,
  ]).join(', ');
};

const costLine = (result: Result): string | null => {
  const totals = runTotalsOf(result);
  if (totals === null || totals.all.cost.known === 0) return null;
  return `${costText(totals.all.cost)} for ${plural(totals.all.completed, 'completed answer')}`;
};

const failureLine = ({
  count,
  traffic,
  outcome,
  message,
  sameText,
  example,
  ...cause
}: Failure) => {
  const said = sameText && example.text !== '' ? example.text : message;
  return `${countText(count)} × ${traffic} ${outcome}: ${causeText(cause)}: ${said.replaceAll(/\s+/g, ' ')}`;
};

interface NamedLine {
  readonly name: string;
  readonly text: string;
  readonly tone?: Tone;
}

/** The first line has the name; what is left out is counted. */
const named = (name: string, items: readonly Omit<NamedLine, 'name'>[], most: number) => {
  const shown = items.slice(0, most);
  const left = items.length - shown.length;
  const rest = left === 0 ? [] : [{ text: `… and ${countText(left)} more` }];
  return [...shown, ...rest].map((item, i): NamedLine => ({ name: i === 0 ? name : '', ...item }));
};

const namedLines = (result: Result): readonly NamedLine[] => {
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  const open = (result.verdicts ?? []).filter((verdict) => objectiveOutcome(verdict) !== 'kept');
  const of = (name: string, text: string | null): readonly NamedLine[] =>
    text === null ? [] : [{ name, text }];
  return [
    ...of('Rates', ratesText(result)),
    ...of('Cost', costLine(result)),
    ...named(
      'Failures',
      failures.map((failure) => ({ text: failureLine(failure) })),
      mostFailures,
    ),
    ...named(
      'Objectives',
      open.map((verdict) => {
        const outcome = objectiveOutcome(verdict);
        const tone = objectiveTones[outcome];
        const finding = `${verdict.text}: ${objectiveFindingText(verdict)}`;
        return { text: `${tones[tone].glyph} ${finding}`, tone };
      }),
      mostObjectives,
    ),
    ...named(
      'Notes',
      result.notes.map((text) => ({ text })),
      mostNotes,
    ),
  ];
};

const nameWidth = 12;

const oneLine = (layout: TerminalLayout, { name, text, tone = 'plain' }: NamedLine): string => {
  const shown = truncatedText(printable(text), layout.width - nameWidth).trimEnd();
  return `${layout.paint('strong', name.padEnd(nameWidth))}${layout.paint(tone, shown)}`;
};

/** What ran, a row for each kind of traffic, rates, cost, the most frequent failures, and objectives that are not kept. */
export const runOverview = (result: Result, trust: Trust, style: TerminalStyle): string => {
  const layout = terminalLayout(style);
  const { plan } = result;
  const load =
    plan.stages.length === 1 ? loadText(plan.stages[0]!.load) : plural(plan.stages.length, 'stage');
  const what = `${plan.name} → ${addressText(result.baseUrl)}: ${load}; ${timeText(runDuration(result))} in all, ${plural(plan.keys.length, 'key')}`;
  const kinds = table('', kindColumns, kindRows(result, trust));
  const rows = isShown(kinds, 'terminal') ? terminalTableLines(layout, kinds) : [];
  const marks = marksText(rows);
  return [
    layout.paint('strong', truncatedText(printable(what), layout.width).trimEnd()),
    ...rows,
    ...(marks === null
      ? []
      : [`  ${layout.paint('quiet', truncatedText(marks, layout.width - 2))}`]),
    ...namedLines(result).map((line) => oneLine(layout, line)),
  ].join('\n');
};

/** A verdict has at most so many lines. */
const mostVerdictLines = 3;

/** The verdict on a run: what decides first, and the exit code where it is not 0. */
export const closingVerdict = (
  result: Result,
  trust: Trust,
  exit: number,
  style: TerminalStyle,
): string => {
  const layout = terminalLayout(style);
  const { title, sentences } = runVerdict(result, trust);
  const tone = exit === 0 ? gravestTone(result, trust) : 'bad';
  const outcome = objectivesSentence(result.verdicts ?? []);
  const verdicts = present([
    outcome !== null && `${outcome}.`,
    limitsVerdict(result)?.text ?? null,
  ]);
  const trusted = [`${title}.`, ...sentences];
  // What decides comes first.
  const facts =
    exit === 0
      ? [...trusted.slice(0, 1), ...verdicts, ...sentences]
      : [`Exit ${exit}.`, ...verdicts, ...trusted];
  const text = printable([tones[tone].glyph, ...facts].join(' '));
  const lines = wrappedLines(text, layout.width);
  const more = ' … (--details)';
  const last = truncatedText(
    lines.slice(mostVerdictLines - 1).join(' '),
    layout.width - more.length,
  );
  const shown =
    lines.length <= mostVerdictLines
      ? lines
      : [...lines.slice(0, mostVerdictLines - 1), `${last.replace(/ ?…$/, '')}${more}`];
  return shown.map((line) => layout.paint(tone, line)).join('\n');
};

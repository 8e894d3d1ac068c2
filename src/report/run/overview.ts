import type { Failure, Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { isShown, type Tone, tones } from '../document/document.ts';
import {
  terminalLayout,
  type TerminalLayout,
  type TerminalStyle,
  terminalTableLines,
} from '../document/terminal-writer.ts';
import { causeText } from '../summary/outcome-text.ts';
import {
  objectiveFindingText,
  objectiveOutcome,
  objectivesSentence,
} from '../summary/objective-text.ts';
import { addressText } from '../summary/plan-terms.ts';
import { measuredRates, runDuration } from '../summary/rates.ts';
import { runVerdict } from '../summary/run-verdict.ts';
import { loadsText } from '../summary/workload-text.ts';
import { truncatedText, wrappedLines, printable } from '../text/display-width.ts';
import { countText, figureText, plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { costText, runTotalsOf } from './cost.ts';
import { kindTable, marksText } from './headline.ts';
import { serverLine } from './server.ts';
import { gravestTone, limitsVerdict, objectiveTones } from './verdict.ts';

/** A run in at most 20 lines of a terminal, and its verdict in at most three more, which come last, after the names of the files. */

/** More of these are counted, not listed. */
const mostFailures = 3;
const mostObjectives = 2;
const mostNotes = 1;

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
    ...of('Server', serverLine(result)),
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
  const what = `${plan.name} → ${addressText(result.baseUrl)}: ${loadsText(plan)}; ${timeText(runDuration(result))} in all, ${plural(plan.keys.length, 'key')}`;
  const kinds = kindTable(result, trust);
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

const degradedAdvice = 'Why, and what to do: `weir report FOLDER --details`.';

/** The verdict on a run: what decides first, and the exit code where it is not 0. */
export const closingVerdict = (
  result: Result,
  trust: Trust,
  exit: number,
  style: TerminalStyle,
): string => {
  const layout = terminalLayout(style);
  const { level, title, sentences } = runVerdict(result, trust);
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
  const advice = level === 'degraded' ? [degradedAdvice] : [];
  const text = printable([tones[tone].glyph, ...facts, ...advice].join(' '));
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

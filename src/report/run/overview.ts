import type { Failure, Result } from '../../model/result/result.ts';
import type { ObjectiveVerdict } from '../../model/result/objective-verdict.ts';
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
import { completedPhrase, measuredRates, runDuration } from '../summary/rates.ts';
import { runVerdict, whatNowPage } from '../summary/run-verdict.ts';
import { loadsText } from '../summary/workload-text.ts';
import { displayWidth, truncatedText, wrappedLines, printable } from '../text/display-width.ts';
import { countText, figureText, plural, timeText } from '../text/number-text.ts';
import { present } from '../text/present.ts';
import { costText, runTotalsOf } from './cost.ts';
import { kindTable, marksText } from './headline.ts';
import { serverLine } from './server.ts';
import { gravestTone, limitsVerdict, objectiveTones } from './verdict.ts';

/**
 * This file shows a run in at most 20 lines of a terminal. The names of the files and three lines with the verdict
 * follow.
 */

const ratesText = (result: Result): string | null => {
  const rates = measuredRates(result);
  if (rates === null) return null;
  const { sent, inputTokens, outputTokens } = rates;
  return present([
    `${figureText(sent)}/s sent`,
    completedPhrase(rates),
    inputTokens !== null && `${figureText(inputTokens)}/s input tokens`,
    outputTokens !== null && `${figureText(outputTokens)}/s output tokens`,
  ]).join(', ');
};

const costLine = (result: Result): string | null => {
  const totals = runTotalsOf(result);
  if (totals === null || totals.all.cost.known === 0) return null;
  return `${costText(totals.all.cost)} for ${plural(totals.all.completed, 'completed answer')}`;
};

interface NamedLine {
  readonly name: string;
  readonly text: string;
  /** Stands after the text, however long that is. */
  readonly end?: string;
  readonly tone?: Tone;
}
type UnnamedLine = Omit<NamedLine, 'name'>;

const failureLine = (failure: Failure): UnnamedLine => {
  const { count, traffic, outcome, message, sameText, example } = failure;
  const said = (sameText && example.text !== '' ? example.text : message).replaceAll(/\s+/g, ' ');
  return { text: `${countText(count)} × ${traffic} ${outcome}: ${causeText(failure)}: ${said}` };
};

const objectiveLine = (verdict: ObjectiveVerdict): UnnamedLine => {
  const tone = objectiveTones[objectiveOutcome(verdict)];
  return { text: `${tones[tone].glyph} ${verdict.text}: ${objectiveFindingText(verdict)}`, tone };
};

/** Names the first line; the last one counts the lines that are left out. */
const named = (
  name: string,
  items: readonly UnnamedLine[],
  most = items.length,
): readonly NamedLine[] => {
  const left = items.length - most;
  const shown = items.slice(0, most);
  return shown.map((item, i) => ({
    name: i === 0 ? name : '',
    ...item,
    ...(left > 0 && i === shown.length - 1 ? { end: ` … and ${countText(left)} more` } : {}),
  }));
};

const namedLines = (result: Result): readonly NamedLine[] => {
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  const open = (result.verdicts ?? []).filter((verdict) => objectiveOutcome(verdict) !== 'kept');
  const linesOf = (...texts: readonly (string | null)[]): readonly UnnamedLine[] =>
    present(texts).map((text) => ({ text }));
  return [
    ...named('Rates', linesOf(ratesText(result))),
    ...named('Cost', linesOf(costLine(result))),
    ...named('Server', linesOf(serverLine(result))),
    ...named('Failures', failures.map(failureLine), 3),
    ...named('Objectives', open.map(objectiveLine), 2),
    ...named('Notes', linesOf(...result.notes), 1),
  ];
};

const nameWidth = 12;

const oneLine = (
  layout: TerminalLayout,
  { name, text, end = '', tone = 'plain' }: NamedLine,
): string => {
  const room = layout.width - nameWidth - displayWidth(end);
  const cut = truncatedText(printable(text), room).trimEnd();
  const shown = end === '' ? cut : `${cut.replace(/ ?…$/, '')}${end}`;
  return `${layout.paint('strong', name.padEnd(nameWidth))}${layout.paint(tone, shown)}`;
};

/** Shows what ran, each kind of traffic, rates, cost, the most frequent failures, and objectives that are not kept. */
export const runOverview = (result: Result, trust: Trust, style: TerminalStyle): string => {
  const layout = terminalLayout(style);
  const { plan } = result;
  const what = `${plan.name} → ${addressText(result.baseUrl)}: ${loadsText(result)}; ${timeText(runDuration(result))} in all, ${plural(plan.keys.length, 'key')}`;
  const kinds = kindTable(result, trust);
  const rows = isShown(kinds, 'terminal') ? terminalTableLines(layout, kinds) : [];
  const marks = marksText(kinds, rows);
  return [
    layout.paint('strong', truncatedText(printable(what), layout.width).trimEnd()),
    ...rows,
    ...(marks === null ? [] : wrappedLines(marks, layout.width - 2)).map(
      (line) => `  ${layout.paint('quiet', line)}`,
    ),
    ...namedLines(result).map((line) => oneLine(layout, line)),
  ].join('\n');
};

const mostVerdictLines = 3;

/**
 * Writes the verdict on a run, beginning with what decides it. If the exit code is not 0, that comes first. `folder` is
 * where the run is stored.
 */
export const closingVerdict = (
  result: Result,
  trust: Trust,
  { exit, folder }: { readonly exit: number; readonly folder: string },
  style: TerminalStyle,
): string => {
  const layout = terminalLayout(style);
  const { load, sentences } = runVerdict(result, trust);
  const tone = exit === 0 ? gravestTone(result, trust) : 'bad';
  const outcome = objectivesSentence(result.verdicts ?? []);
  const limits = limitsVerdict(result)?.text ?? null;
  const verdicts = present([outcome !== null && `${outcome}.`, limits]);
  const code = exit === 0 ? [] : [`Exit ${exit}.`];
  const facts = [...code, ...verdicts, `${load}.`, ...sentences];
  const isSound = trust.level === 'valid';
  const advice = isSound
    ? []
    : [`Why: \`weir report ${folder} --details\`. What now: ${whatNowPage}.`];
  const text = printable([tones[tone].glyph, ...facts, ...advice].join(' '));
  const lines = wrappedLines(text, layout.width);
  const more = ` … (--details${isSound ? '' : `, ${whatNowPage}`})`;
  const end = lines.slice(mostVerdictLines - 1).join(' ');
  const last = truncatedText(end, layout.width - more.length);
  const shown =
    lines.length <= mostVerdictLines
      ? lines
      : [...lines.slice(0, mostVerdictLines - 1), `${last.replace(/ ?…$/, '')}${more}`];
  return shown.map((line) => layout.paint(tone, line)).join('\n');
};

import type { Failure, Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { isShown, type Tone } from '../document/document.ts';
import {
  terminalLayout,
  type TerminalLayout,
  type TerminalStyle,
  terminalTableLines,
} from '../document/terminal-writer.ts';
import { causeText, failureMessage } from '../summary/outcome-text.ts';
import { objectiveOutcome } from '../summary/objective-text.ts';
import { addressText } from '../summary/plan-terms.ts';
import { completedPhrase, measuredRates, runDuration } from '../summary/rates.ts';
import { loadsText } from '../summary/workload-text.ts';
import { displayWidth, truncatedText, wrappedLines, printable } from '../text/display-width.ts';
import { countText, figureText, plural, timeText } from '../text/number-text.ts';
import { present, textIf } from '../text/present.ts';
import { costText, runTotalsOf } from './cost.ts';
import { populationLines, targetLines } from './figures.ts';
import { hangUpSentence } from './hang-ups.ts';
import { kindTable, marksText } from './headline.ts';
import { serverLine } from './server.ts';
import { usageSentence } from './usage-audit.ts';
import { objectiveLine } from './verdict.ts';

/**
 * This file shows a run in at most 18 lines of a terminal if possible. After these lines, other code prints the names
 * of the files and three lines with the verdict.
 */

const ratesText = (result: Result): string | null => {
  const rates = measuredRates(result);
  if (rates === null) return null;
  const { sent, inputTokens, outputTokens } = rates;
  return present([
    `${figureText(sent)}/s sent`,
    completedPhrase(rates),
    inputTokens !== null && `tokens ${figureText(inputTokens)}/s in`,
    outputTokens !== null &&
      `${textIf(inputTokens === null, 'tokens ')}${figureText(outputTokens)}/s out`,
  ]).join(', ');
};

const costLine = (result: Result): string | null => {
  const totals = runTotalsOf(result);
  if (totals === null || totals.all.cost.known === 0) return null;
  const currency = result.plan.pricing?.currency;
  const amount = present([costText(totals.all.cost), currency ?? null]).join(' ');
  return `${amount} for ${plural(totals.all.completed, 'completed answer')}`;
};

interface NamedLine {
  readonly name: string;
  readonly text: string;
  /** The end of the text, kept even if the text is truncated. No-break spaces in it prevent a wrap. */
  readonly end?: string;
  readonly tone?: Tone;
  /**
   * The maximum number of lines of the text. A text from a server or a user needs a maximum, since it can have any
   * length.
   */
  readonly most?: number;
}
type UnnamedLine = Omit<NamedLine, 'name'>;

const failureLine = (failure: Failure): UnnamedLine => {
  const { count, traffic, outcome } = failure;
  const said = `${causeText(failure)}: ${failureMessage(failure)}`;
  const text = `${countText(count)} × ${traffic} ${outcome}: ${said}`;
  return { text, most: 2 };
};

/** Makes the lines of a list of texts. The first gets the list's name. The last counts the texts that are left out. */
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
    ...(left > 0 && i === shown.length - 1
      ? { end: ` …\u00a0and\u00a0${countText(left)}\u00a0more` }
      : {}),
  }));
};

const namedTexts = (result: Result): readonly NamedLine[] => {
  const failures = result.failures.toSorted((a, b) => b.count - a.count);
  const open = (result.verdicts ?? []).filter((verdict) => objectiveOutcome(verdict) !== 'kept');
  const linesOf = (...texts: readonly (string | null)[]): readonly UnnamedLine[] =>
    present(texts).map((text) => ({ text }));
  return [
    ...named('Rates', linesOf(ratesText(result))),
    ...named('Cost', linesOf(costLine(result))),
    ...named('Server', linesOf(serverLine(result))),
    ...named('Hang-ups', linesOf(hangUpSentence(result))),
    ...named('Usage', linesOf(usageSentence(result))),
    ...named('Failures', failures.map(failureLine), 3),
    ...named('Objectives', open.map(objectiveLine), 2),
    ...named(
      'Notes',
      result.notes.map((note) => ({ text: note, most: 2 })),
      1,
    ),
  ];
};

const nameWidth = 12;

/** Writes a text beside its name, in at most `most` lines. A truncated text ends in `end`, or in `…` without `end`. */
const linesBeside = (
  layout: TerminalLayout,
  { name, text, end = '', tone = 'plain' }: NamedLine,
  most: number,
): readonly string[] => {
  const width = layout.width - nameWidth;
  const lines = wrappedLines(`${printable(text)}${end}`, width);
  const shown = lines.slice(0, most);
  if (lines.length > most) {
    const last = wrappedLines(printable(text), width)
      .slice(most - 1)
      .join(' ');
    const cut = truncatedText(last, width - displayWidth(end)).trimEnd();
    const ended = end === '' ? cut : `${cut.replace(/ ?…$/, '')}${end}`;
    shown[most - 1] = ended.replaceAll('\u00a0', ' ');
  }
  return shown.map((line, i) => {
    const head = (i === 0 ? name : '').padEnd(nameWidth);
    return `${layout.paint('strong', head)}${layout.paint(tone, line)}`;
  });
};

/** Writes each text into one line. Long texts, first those about objectives, get up to `spare` more lines in all. */
const linesOfAll = (
  layout: TerminalLayout,
  items: readonly NamedLine[],
  spare: number,
): readonly string[] => {
  const isFinding = ({ tone }: NamedLine): boolean => tone !== undefined;
  const most = new Map<NamedLine, number>();
  let left = spare;
  for (const item of items.toSorted((a, b) => Number(isFinding(b)) - Number(isFinding(a)))) {
    const wanted = linesBeside(layout, item, item.most ?? spare + 1).length;
    most.set(item, Math.min(wanted, left + 1));
    left -= most.get(item)! - 1;
  }
  return items.flatMap((item) => linesBeside(layout, item, most.get(item)!));
};

/**
 * The wanted number of lines. A screen of 24 lines then also has room for the names of the files, the verdict and the
 * next prompt.
 */
const wantedLines = 18;

/** Formats the warm-up that a run found; empty for a run that did not look for the end of its warm-up. */
const foundWarmUpText = ({ warmUp }: Result): string => {
  if (warmUp === undefined) return '';
  const end = timeText(warmUp.end);
  return warmUp.isSteady ? `warm-up ${end}, ` : `no end of the warm-up within ${end}, `;
};

/** Shows the load, each kind of traffic, rates, cost, the most frequent failures, and objectives that are not kept. */
export const runOverview = (result: Result, trust: Trust, style: TerminalStyle): string => {
  const layout = terminalLayout(style);
  const { plan } = result;
  const what = `${plan.name} → ${addressText(result.baseUrl)}: ${loadsText(result)}; ${timeText(runDuration(result))} in all, ${foundWarmUpText(result)}${plural(plan.keys.length, 'key')}`;
  const kinds = kindTable(result, trust);
  const rows = isShown(kinds, 'terminal') ? terminalTableLines(layout, kinds) : [];
  const marks = marksText(kinds, rows);
  const markLines = marks === null ? [] : wrappedLines(marks, layout.width - 2);
  const others = namedTexts(result);
  const targets = named(
    'Targets',
    targetLines(result).map((text) => ({ text })),
    4,
  );
  const room = wantedLines - 1 - rows.length - markLines.length - targets.length - others.length;
  const populations = populationLines(result).map((text) => ({ text }));
  // At least one population is shown, and further populations are shown if there is room.
  const most = Math.max(1, Math.min(populations.length, room));
  const texts = [...targets, ...named('Populations', populations, most), ...others];
  const spare = Math.max(0, wantedLines - 1 - rows.length - markLines.length - texts.length);
  const whole = wrappedLines(printable(what), layout.width);
  const isWhole = whole.length - 1 <= spare;
  const title = isWhole ? whole : [truncatedText(printable(what), layout.width).trimEnd()];
  return [
    ...title.map((line) => layout.paint('strong', line)),
    ...rows,
    ...markLines.map((line) => `  ${layout.paint('quiet', line)}`),
    ...linesOfAll(layout, texts, spare - (title.length - 1)),
  ].join('\n');
};

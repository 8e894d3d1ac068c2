import type { Result } from '../../model/result/result.ts';
import type { Trust } from '../../model/result/verdict.ts';
import { tones } from '../document/document.ts';
import { terminalLayout, type TerminalStyle } from '../document/terminal-writer.ts';
import {
  objectiveOutcome,
  objectivesSentence,
  undecidedSentences,
} from '../summary/objective-text.ts';
import { runVerdict, whatNowPage } from '../summary/run-verdict.ts';
import { printable, wrappedLines } from '../text/display-width.ts';
import { present } from '../text/present.ts';
import { failedText, limitsVerdict, needsAdvice, objectiveLine, verdictTone } from './verdict.ts';

/** This file writes the last lines of a run in the terminal. */

const mostVerdictLines = 3;

/** Returns the beginning of the verdict on a run, and the other sentences in order of importance. */
const verdictSentences = (result: Result, trust: Trust, exit: number) => {
  const { level, load, undecided, sentences } = runVerdict(result, trust);
  const verdicts = result.verdicts ?? [];
  const outcome = objectivesSentence(verdicts);
  const code = exit === 0 ? null : `Exit ${exit}.`;
  const [failed, ofLoad] = [failedText(result), [`${load}.`, ...sentences]];
  return {
    first: present([code, outcome !== null && `${outcome}.`]),
    undecided,
    counted: undecidedSentences(verdicts, 0),
    others: present([
      limitsVerdict(result)?.text ?? null,
      // If the run ended early or does not count, the sentences that say why are more important than the number of
      // failed requests.
      ...(result.partial !== null || level === 'invalid'
        ? [...ofLoad, failed]
        : [failed, ...ofLoad]),
    ]),
  };
};

const maxNamedObjectives = 3;

const brokenObjectives = ({ verdicts = [] }: Result): readonly string[] =>
  verdicts
    .filter((verdict) => objectiveOutcome(verdict) === 'broken')
    .slice(0, maxNamedObjectives)
    .map((verdict) => `${objectiveLine(verdict).text}.`);

/**
 * Writes the verdict on a run in at most three lines, in order of importance. An exit code other than 0 comes first.
 * Sentences that do not fit are only in the report. `folder` is the folder with the stored run. If `isAlone` is true,
 * the verdict also names the broken objectives. Otherwise, lines above the verdict have already named these objectives.
 */
export const closingVerdict = (
  result: Result,
  trust: Trust,
  { exit, folder }: { readonly exit: number; readonly folder: string },
  { isAlone = false, ...style }: TerminalStyle & { readonly isAlone?: boolean },
): string => {
  const layout = terminalLayout(style);
  const tone = exit === 0 ? verdictTone(result, trust) : 'bad';
  const { first, undecided, counted, others } = verdictSentences(result, trust, exit);
  const advice = needsAdvice(result, trust) ? [`What now: ${whatNowPage}.`] : [];
  const report = `\`weir report ${folder} --details\`.`;
  const linesOf = (sentences: readonly string[]): readonly string[] =>
    wrappedLines(printable([tones[tone].glyph, ...sentences].join(' ').trim()), layout.width);
  const fits = (sentences: readonly string[]): boolean =>
    linesOf(sentences).length <= mostVerdictLines;
  const broken = isAlone ? brokenObjectives(result) : [];
  const beginning = [...first, ...broken, ...undecided];
  const head = fits([...beginning, ...advice]) ? beginning : [...first, ...broken, ...counted];
  const whole = [...head, ...others];
  const end = advice.length === 0 ? [`More: ${report}`] : advice;
  const chosen = [...others, ...(advice.length === 0 ? [] : [`Why: ${report}`])].reduce(
    (found, each) => (fits([...found, each, ...end]) ? [...found, each] : found),
    head,
  );
  const shown = advice.length === 0 && fits(whole) ? whole : [...chosen, ...end];
  return linesOf(shown)
    .map((line) => layout.paint(tone, line))
    .join('\n');
};

import type { Result } from '../../model/result/result.ts';
import {
  objectiveFindingText,
  goodputSentence,
  type ObjectiveOutcome,
  objectiveOutcome,
  objectivesOutcome,
  objectivesSentence,
  objectiveGlyph,
} from '../summary/objective-text.ts';
import { printable } from '../text/printable.ts';
import { paragraph, type TerminalLayout, type TextStyle } from './terminal-layout.ts';

const outcomeStyle = {
  kept: 'good',
  broken: 'bad',
  warning: 'warning',
  undecided: 'warning',
} as const satisfies Record<ObjectiveOutcome, TextStyle>;

/** What became of the objectives, each in a paragraph; nothing for a run without any. */
export const objectiveLines = (layout: TerminalLayout, result: Result): readonly string[] => {
  const verdicts = result.verdicts ?? [];
  const outcome = objectivesOutcome(verdicts);
  const sentence = objectivesSentence(verdicts);
  const goodput = goodputSentence(result);
  return [
    ...(outcome === null || sentence === null
      ? []
      : [layout.paint(outcomeStyle[outcome], `■ ${sentence.toUpperCase()}`)]),
    ...verdicts.flatMap((verdict) => {
      const each = objectiveOutcome(verdict);
      const text = `${objectiveGlyph[each]} ${verdict.text}: ${objectiveFindingText(verdict)}`;
      return paragraph(layout, printable(text), { style: outcomeStyle[each] });
    }),
    ...(goodput === null ? [] : paragraph(layout, printable(goodput))),
  ];
};

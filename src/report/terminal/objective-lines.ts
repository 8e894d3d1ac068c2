import type { Result } from '../../model/result.ts';
import {
  findingText,
  goodputSentence,
  type ObjectiveOutcome,
  objectiveOutcome,
  objectivesOutcome,
  objectivesSentence,
  outcomeGlyph,
} from '../objective-words.ts';
import { printable } from '../printable.ts';
import { paragraph, type Screen, type Style } from './screen.ts';

const outcomeStyle = {
  kept: 'good',
  broken: 'bad',
  warning: 'warning',
  undecided: 'warning',
} as const satisfies Record<ObjectiveOutcome, Style>;

/** What became of the objectives, each in a paragraph; nothing for a run without any. */
export const objectiveLines = (screen: Screen, result: Result): readonly string[] => {
  const verdicts = result.verdicts ?? [];
  const outcome = objectivesOutcome(verdicts);
  const sentence = objectivesSentence(verdicts);
  const goodput = goodputSentence(result);
  return [
    ...(outcome === null || sentence === null
      ? []
      : [screen.paint(outcomeStyle[outcome], `■ ${sentence.toUpperCase()}`)]),
    ...verdicts.flatMap((verdict) => {
      const each = objectiveOutcome(verdict);
      const text = `${outcomeGlyph[each]} ${verdict.text}: ${findingText(verdict)}`;
      return paragraph(screen, printable(text), { style: outcomeStyle[each] });
    }),
    ...(goodput === null ? [] : paragraph(screen, printable(goodput))),
  ];
};

import { type AnswerNote, answerNoteNames } from '../model/observation.ts';
import type { Result } from '../model/result.ts';
import { outcomesOf } from '../model/outcomes.ts';
import { groupsWhere } from '../model/summary.ts';
import type { TrafficKind } from '../model/traffic.ts';
import { kindsPresent } from './figures.ts';

/** How many completed answers of one kind were odd in one way, over the whole run. */
export interface OddAnswers {
  readonly kind: TrafficKind;
  readonly note: AnswerNote;
  readonly count: number;
  /** All completed answers of the kind. */
  readonly completed: number;
}

/** What was odd in completed answers and was tolerated; the kinds with the most arrivals first, then what was most frequent. */
export const oddAnswers = (result: Result): readonly OddAnswers[] =>
  kindsPresent(result).flatMap((kind) => {
    const groups = groupsWhere(result, ({ traffic }) => traffic === kind);
    const { completed } = outcomesOf(groups);
    return answerNoteNames
      .map((note): OddAnswers => {
        const count = groups.reduce((sum, { notes }) => sum + (notes[note] ?? 0), 0);
        return { kind, note, count, completed };
      })
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count);
  });

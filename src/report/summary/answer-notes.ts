import { type AnswerNote, answerNoteNames } from '../../model/observation/outcome.ts';
import type { Result } from '../../model/result/result.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { groupsMatching } from '../../model/result/summary.ts';
import type { TrafficKind } from '../../model/workload/traffic.ts';
import { kindsPresent } from './figures.ts';

/** The number of completed answers of one kind with one deviation, over the whole run. */
export interface AnswerNoteCount {
  readonly kind: TrafficKind;
  readonly note: AnswerNote;
  readonly count: number;
  /** All completed answers of the kind. */
  readonly completed: number;
}

/** Tolerated deviations in completed answers: kinds with the most arrivals first, then the most frequent deviations. */
export const answerNoteCounts = (result: Result): readonly AnswerNoteCount[] =>
  kindsPresent(result).flatMap((kind) => {
    const groups = groupsMatching(result, ({ traffic }) => traffic === kind);
    const { completed } = sumOutcomes(groups);
    return answerNoteNames
      .map((note): AnswerNoteCount => {
        const count = groups.reduce((sum, { notes }) => sum + (notes[note] ?? 0), 0);
        return { kind, note, count, completed };
      })
      .filter(({ count }) => count > 0)
      .toSorted((a, b) => b.count - a.count);
  });

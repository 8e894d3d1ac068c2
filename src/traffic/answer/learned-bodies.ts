import type { Usage } from '../../contract/chat.ts';
import { learnBody, type LearnedBody, type VariableMember } from './learned-body.ts';

/** The number of matches that allow one more attempt to learn. Learning a body takes as long as reading about sixty. */
const matchesPerLearning = 64;
/**
 * The number of attempts to learn that are allowed at the beginning. Matches cannot raise the number of open attempts
 * beyond it.
 */
const maxLearnings = 8;
/**
 * The maximum length of a body that is learned, in UTF-16 units. Longer bodies are hardly ever equal except for the
 * variable members.
 */
const maxLearnedLength = 16 * 1024;

/** Limits the number of attempts to learn. Matches allow further attempts. */
class LearningAllowance {
  #left = maxLearnings;
  #matches = 0;

  /** Counts a match. */
  noteMatch(): void {
    this.#matches += 1;
    if (this.#matches < matchesPerLearning) return;
    this.#matches = 0;
    this.#left = Math.min(maxLearnings, this.#left + 1);
  }

  /** Returns whether a body of this length may be learned. Each call that returns true counts as an attempt. */
  take(length: number): boolean {
    if (this.#left === 0 || length > maxLearnedLength) return false;
    this.#left -= 1;
    return true;
  }
}

/**
 * A learned body, what was read from it, and the places of the counts in its usage. The place of a count that is absent
 * is −1.
 */
export interface LearnedReading<T> {
  readonly body: LearnedBody;
  readonly reading: T;
  readonly input: number;
  readonly output: number;
}

/** Returns the usage in the last match. The learned body must have a usage. */
export const matchedUsage = ({ body, input, output }: LearnedReading<unknown>): Usage => ({
  prompt_tokens: body.countAt(input),
  completion_tokens: body.countAt(output),
});

/** Learns bodies of one kind that a target sends, and compares later bodies with them. */
export class LearnedBodies<T> {
  readonly #members: readonly VariableMember[];
  readonly #most: number;
  /** The learned bodies. The body that matched last is the first. */
  readonly #learned: LearnedReading<T>[] = [];
  readonly #allowance = new LearningAllowance();

  /**
   * Creates an empty list. `members` are the members whose values may differ. `most` is the number of bodies that are
   * kept: those that matched last.
   */
  constructor(members: readonly VariableMember[], most: number) {
    this.#members = members;
    this.#most = most;
  }

  /**
   * Returns the learned body that equals the part of `bytes` from `start` to before `end`, except for variable values;
   * `null` for none.
   */
  match(bytes: Buffer, start: number, end: number): LearnedReading<T> | null {
    for (let i = 0; i < this.#learned.length; i += 1) {
      const learned = this.#learned[i]!;
      // Most bodies match the first, so that only the others are looked at quickly before.
      if (i > 0 && !learned.body.endsAlike(bytes, end)) continue;
      if (!learned.body.match(bytes, start, end)) continue;
      if (i > 0) this.#learned.unshift(...this.#learned.splice(i, 1));
      this.#allowance.noteMatch();
      return learned;
    }
    return null;
  }

  /**
   * Learns a body that was just parsed as `reading`, if the body is suitable. A body with a usage is suitable only if
   * the places of its counts are found.
   */
  learn(text: string, reading: T, hasUsage: boolean): void {
    if (!this.#allowance.take(text.length)) return;
    const body = learnBody(text, this.#members);
    if (body === null) return;
    const [input, output] = [body.placeOf('prompt_tokens'), body.placeOf('completion_tokens')];
    if (hasUsage && (input < 0 || output < 0)) return;
    this.#learned.unshift({ body, reading, input, output });
    this.#learned.splice(this.#most);
  }
}

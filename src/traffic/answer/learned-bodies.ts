import type { Usage } from '../../contract/chat.ts';
import { learnBody, type LearnedBody, type VariableMember } from './learned-body.ts';

/** Learning a body takes as long as reading some sixty: the bodies must have saved that before another is learned. */
const matchesPerLearning = 64;
const maxLearnings = 8;
/** Bodies that are longer are not learned, in UTF-16 units: most of them differ in more than is known here. */
const maxLearnedLength = 16 * 1024;

/** What is allowed to be learned: bodies that were matched earn further attempts. */
class LearningAllowance {
  #left = maxLearnings;
  #matches = 0;

  /** Called at each match. */
  noteMatch(): void {
    this.#matches += 1;
    if (this.#matches < matchesPerLearning) return;
    this.#matches = 0;
    this.#left = Math.min(maxLearnings, this.#left + 1);
  }

  /** Whether a body of this length may be learned; each call that allows it counts. */
  take(length: number): boolean {
    if (this.#left === 0 || length > maxLearnedLength) return false;
    this.#left -= 1;
    return true;
  }
}

/** A learned body, what it was read as, and where its usage's counts are; −1 where they are not. */
export interface LearnedReading<T> {
  readonly body: LearnedBody;
  readonly reading: T;
  readonly input: number;
  readonly output: number;
}

/** The usage in the last match of a body that was learned with one. */
export const matchedUsage = ({ body, input, output }: LearnedReading<unknown>): Usage => ({
  prompt_tokens: body.countAt(input),
  completion_tokens: body.countAt(output),
});

/** The bodies of one kind that were learned of a target. */
export class LearnedBodies<T> {
  readonly #members: readonly VariableMember[];
  readonly #most: number;
  /** The one matched last comes first. */
  readonly #learned: LearnedReading<T>[] = [];
  readonly #allowance = new LearningAllowance();

  /** `members`: whose values may differ; `most`: how many bodies are kept, those matched last. */
  constructor(members: readonly VariableMember[], most: number) {
    this.#members = members;
    this.#most = most;
  }

  /** The learned body that `bytes` from `start` to before `end` are, with other values; `null` if they are none. */
  match(bytes: Buffer, start: number, end: number): LearnedReading<T> | null {
    for (let i = 0; i < this.#learned.length; i += 1) {
      const learned = this.#learned[i]!;
      if (!learned.body.match(bytes, start, end)) continue;
      if (i > 0) this.#learned.unshift(...this.#learned.splice(i, 1));
      this.#allowance.noteMatch();
      return learned;
    }
    return null;
  }

  /** Learns a body that was just read as `reading`, if it is suitable: one with a usage has to have its counts where they can be found. */
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

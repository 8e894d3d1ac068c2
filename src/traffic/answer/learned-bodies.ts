import { maxPlausibleTokens } from '../cost-of-tokens.ts';
import {
  learnBody,
  type LearnedBody,
  variableMember,
  type VariableMember,
} from './learned-body.ts';
import { plainUsage, type UsageReading } from './read-usage.ts';

/**
 * After this many matches, one more attempt to learn is allowed. Learning one body takes as long as reading about sixty
 * bodies.
 */
const matchesPerLearning = 64;
/** At first, this many attempts to learn are allowed. Matches never raise the number of unused attempts above this. */
const maxLearnings = 8;
/**
 * The maximum length of a learned body, in UTF-16 units. Longer bodies hardly ever match, because they also differ
 * outside the variable members.
 */
const maxLearnedLength = 16 * 1024;

/**
 * After this many consecutive bodies without a match, only every eighth body is compared, since comparing takes a
 * quarter of the time of reading an answer.
 */
const patience = 32;

/** Limits the number of attempts to learn. Matches allow further attempts. */
class LearningAllowance {
  #left = maxLearnings;
  #matches = 0;

  noteMatch(): void {
    this.#matches += 1;
    if (this.#matches < matchesPerLearning) return;
    this.#matches = 0;
    this.#left = Math.min(maxLearnings, this.#left + 1);
  }

  /** Returns whether a body of this length may be learned. Each call that returns true uses one attempt. */
  take(length: number): boolean {
    if (this.#left === 0 || length > maxLearnedLength) return false;
    this.#left -= 1;
    return true;
  }
}

/** The counts of a usage that may differ between bodies. Only `input` and `output` must be present. */
export const usageCounts = {
  input: ['usage', 'prompt_tokens'],
  output: ['usage', 'completion_tokens'],
  total: ['usage', 'total_tokens'],
  cached: ['usage', 'prompt_tokens_details', 'cached_tokens'],
  reasoning: ['usage', 'completion_tokens_details', 'reasoning_tokens'],
} as const;
const countNames = Object.keys(usageCounts) as readonly (keyof typeof usageCounts)[];

export const usageMembers: readonly VariableMember[] = Object.values(usageCounts).map((path) =>
  variableMember('count', ...path),
);

/**
 * A learned body and what was read from it. `body.countAt(places.input)` returns the input tokens of the last match. A
 * place is −1 if the usage does not contain this count.
 */
export interface LearnedReading<T> {
  readonly body: LearnedBody;
  readonly reading: T;
  readonly places: Readonly<Record<keyof typeof usageCounts, number>>;
  /** The number of bytes that the model wrote in the fixed parts of the body. */
  readonly fixedWriting: number;
}

/**
 * Returns the usage in the last match. The usage equals `learned` except for its counts. Returns `null` if the counts
 * do not add up as in a plain usage; in this case, the caller must parse the body. The learned body must have a usage.
 */
export const matchedUsage = (
  { body, places }: LearnedReading<unknown>,
  learned: UsageReading,
): UsageReading | null => {
  const [input, output] = [body.countAt(places.input), body.countAt(places.output)];
  const cached = places.cached < 0 ? learned.classes.cached : body.countAt(places.cached);
  const reasoning =
    places.reasoning < 0 ? (learned.classes.reasoning ?? 0) : body.countAt(places.reasoning);
  const isSum = places.total < 0 || body.countAt(places.total) === input + output;
  if (!isSum || (cached ?? 0) > input || reasoning > output) return null;
  if (input > maxPlausibleTokens || output > maxPlausibleTokens) return null;
  return plainUsage(input, output, cached, reasoning);
};

export class LearnedBodies<T> {
  readonly #members: readonly VariableMember[];
  readonly #most: number;
  /** The learned bodies. The body that was matched or learned last comes first. */
  readonly #learned: LearnedReading<T>[] = [];
  readonly #allowance = new LearningAllowance();
  /** How many bodies have come since the last match, or since a body was last learned. */
  #misses = 0;

  /**
   * Creates an empty list. `members` are the members whose values may differ. `most` is the maximum number of bodies in
   * the list. If the list is full, a new body replaces the body whose last match is the longest ago.
   */
  constructor(members: readonly VariableMember[], most: number) {
    this.#members = members;
    this.#most = most;
  }

  /**
   * Returns the learned body that equals the part of `bytes` from `start` to before `end`, except for variable values.
   * Returns `null` if no learned body is equal, or if nothing is compared because bodies hardly ever match.
   */
  match(bytes: Buffer, start: number, end: number): LearnedReading<T> | null {
    this.#misses += 1;
    if (this.#misses > patience && this.#misses % 8 !== 0) return null;
    for (let i = 0; i < this.#learned.length; i += 1) {
      const learned = this.#learned[i]!;
      // Most bodies match the first learned body, so the quick check is made only for the other learned bodies.
      if (i > 0 && !learned.body.endsAlike(bytes, end)) continue;
      if (!learned.body.match(bytes, start, end)) continue;
      if (i > 0) this.#learned.unshift(...this.#learned.splice(i, 1));
      this.#allowance.noteMatch();
      this.#misses = 0;
      return learned;
    }
    return null;
  }

  /**
   * Learns a body that was just parsed as `reading`, if the body is suitable. A body with a usage is suitable only if
   * the places of its counts are found. `written` is the number of bytes that the model wrote in the body.
   */
  learn(text: string, reading: T, hasUsage: boolean, written: number): void {
    if (!this.#allowance.take(text.length)) return;
    const body = learnBody(text, this.#members);
    if (body === null) return;
    const places = Object.fromEntries(
      countNames.map((name) => [name, body.placeOf(usageCounts[name].at(-1)!)]),
    ) as LearnedReading<T>['places'];
    if (hasUsage && (places.input < 0 || places.output < 0)) return;
    // If the place of the total is not found, a match could not read the total of another body. The body is then not
    // learned.
    if (hasUsage && places.total < 0 && text.includes('"total_tokens"')) return;
    this.#misses = 0;
    this.#learned.unshift({ body, reading, places, fixedWriting: written - body.written });
    this.#learned.splice(this.#most);
  }
}

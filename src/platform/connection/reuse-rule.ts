import type { ConnectionSettings } from '../../model/plan/plan.ts';

/** So many connections in a row that the server ends just after the same number of answers are its habit, not chance. */
const endsForHabit = 3;
/** After so many answers in a row on connections that were used before, the server is known to keep them. */
const reusesForTrust = 3;
/**
 * How long a connection is left alone after its answer, in ms: while nothing is known of the server, whose end often follows the answer by a tenth of a
 * millisecond, and by some on a busy machine; once one connection has outlived that; and where the latest end came after as
 * many answers. A server that lingers reads what comes after its end, and nothing shows that it did not carry it out.
 */
const rest = { atFirst: 5, afterOne: 1, suspected: 20 } as const;
/** An end within so many ms after an answer is not that of an idle connection. */
const justAfter = 100;

const noEnds = { answers: 0, inARow: 0 };

const answersText = (answers: number): string =>
  answers === 1 ? 'each answer' : `${answers} answers`;

/**
 * After how many answers a connection is not used again: by the scenario, or by what is learnt of a server that ends its
 * connections without announcing it, whatever its `Keep-Alive` says.
 */
export class ReuseRule {
  readonly #allowed: number;
  /** After how many answers the server ends its connections, as far as is known. */
  #learnt = Number.POSITIVE_INFINITY;
  /** The latest connections that the server ended after the same number of answers. */
  #ends = noEnds;
  #reusesInARow = 0;
  /** Whether a connection has outlived its rest since the latest end. */
  #hasRested = false;
  readonly #notes = new Set<string>();

  constructor({
    reuse = true,
    maxRequestsPerConnection,
  }: Pick<ConnectionSettings, 'reuse' | 'maxRequestsPerConnection'>) {
    this.#allowed = reuse ? (maxRequestsPerConnection ?? Number.POSITIVE_INFINITY) : 1;
  }

  /** How long a connection is left alone after so many answers on it, in ms; 0 where the server has shown that it keeps it. */
  restAfter(answers: number): number {
    if (answers === this.#ends.answers) return rest.suspected;
    if (this.#reusesInARow >= reusesForTrust) return 0;
    return this.#hasRested ? rest.afterOne : rest.atFirst;
  }

  /** A connection did not end while it was left alone. */
  onRested(): void {
    this.#hasRested = true;
  }

  get notes(): readonly string[] {
    return [...this.#notes];
  }

  /** Whether a connection on which so many answers came can be used again. */
  allowsReuse(answers: number): boolean {
    return answers < this.#allowed && answers < this.#learnt;
  }

  /** Whether a connection would be used again but for what was learnt. */
  isOnlyLearnt(answers: number): boolean {
    return answers >= this.#learnt && answers < this.#allowed;
  }

  /** An answer begins on a connection after `answers` earlier ones. */
  onReused(answers: number): void {
    this.#reusesInARow += 1;
    if (answers >= this.#ends.answers) this.#ends = noEnds;
  }

  /** The server has ended a connection `age` ms after the last of its answers. */
  onEnded(answers: number, age: number): void {
    if (answers === 0 || age > justAfter) return;
    this.#reusesInARow = 0;
    this.#hasRested = false;
    const inARow = answers === this.#ends.answers ? this.#ends.inARow + 1 : 1;
    this.#ends = { answers, inARow };
    if (inARow < endsForHabit || this.#learnt === answers) return;
    this.#learnt = answers;
    this.#notes.add(
      `The server closes its connections after ${answersText(answers)} without announcing it: ${endsForHabit} in a row ended like that. ${answers === 1 ? 'Connections were not used again' : 'No connection was used for more requests'} from then on.`,
    );
  }

  /** A connection that was left open after the learnt number of answers was not ended: what was learnt does not hold, or not any more. */
  onKept(): void {
    if (this.#learnt === Number.POSITIVE_INFINITY) return;
    this.#notes.add(
      `Later in the run the server kept a connection after ${answersText(this.#learnt)}: connections were used again from then on.`,
    );
    this.#learnt = Number.POSITIVE_INFINITY;
    this.#ends = noEnds;
  }
}

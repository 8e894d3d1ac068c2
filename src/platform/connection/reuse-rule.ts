import type { ConnectionSettings } from '../../model/plan/plan.ts';

/** How many connections in a row the server has to end just after the same number of answers until this is taken as its rule. */
const endsForRule = 3;
/** How many answers in a row have to come on reused connections until the server is known to keep them. */
const reusesForTrust = 3;
/**
 * How long a connection is left alone after its answer, in ms: `atFirst` while nothing is known of the server (its end often follows the
 * answer by 0.1 ms, on a busy machine by a few); `afterOne` once a connection has stayed open that long; `suspected` if the server ended the
 * latest connection after this number of answers. Some servers still read what arrives after their end, and nothing shows whether they acted on it.
 */
const rest = { atFirst: 5, afterOne: 1, suspected: 20 } as const;
/** An end within this time after an answer, in ms, is not that of an idle connection. */
const justAfter = 100;

const noEnds = { answers: 0, inARow: 0 };

const answersText = (answers: number): string =>
  answers === 1 ? 'each answer' : `${answers} answers`;

/**
 * After how many answers a connection is not used again: as the scenario says, or as observed of a server that ends its
 * connections without announcing it, whatever its `Keep-Alive` says.
 */
export class ReuseRule {
  readonly #allowed: number;
  /** After how many answers the server ends its connections, as far as is known. */
  #observed = Number.POSITIVE_INFINITY;
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

  /** How long a connection is left alone after `answers` answers on it, in ms; 0 once the server is known to keep it. */
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

  /** Whether a connection can be used again after `answers` answers on it. */
  allowsReuse(answers: number): boolean {
    return answers < this.#allowed && answers < this.#observed;
  }

  /** Whether only the observed rule of the server, not the scenario, keeps a connection from being used again. */
  isOnlyObserved(answers: number): boolean {
    return answers >= this.#observed && answers < this.#allowed;
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
    if (inARow < endsForRule || this.#observed === answers) return;
    this.#observed = answers;
    this.#notes.add(
      `The server closes its connections after ${answersText(answers)} without announcing it: ${endsForRule} in a row ended like that. ${answers === 1 ? 'Connections were not used again' : 'No connection was used for more requests'} from then on.`,
    );
  }

  /** A connection stayed open after the observed number of answers: the observed rule is wrong, or the server has changed. */
  onKept(): void {
    if (this.#observed === Number.POSITIVE_INFINITY) return;
    this.#notes.add(
      `Later in the run the server kept a connection open after ${this.#observed === 1 ? 'its first answer' : answersText(this.#observed)}: connections were used again from then on.`,
    );
    this.#observed = Number.POSITIVE_INFINITY;
    this.#ends = noEnds;
  }
}

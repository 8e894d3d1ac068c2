import type { ConnectionSettings } from '../../model/plan/plan.ts';
import { endsForRule, ObservedEnds } from './observed-ends.ts';

/** What is known of a connection when it becomes idle. */
export interface AnsweredConnection {
  /** How many answers came on it. */
  readonly answers: number;
  /** Whether the latest of them was chunked, as streams are: some servers close after those only. */
  readonly isChunked: boolean;
}

/** `framing` is named only where the server treats other answers differently. */
const notesOf = (ends: ObservedEnds, other: ObservedEnds, framing: string): readonly string[] => {
  const answersText = (answers: number, one: string): string => {
    const isAny = !other.hasKept || other.concluded.has(answers);
    if (answers === 1) return `${one} ${isAny ? '' : `${framing} `}answer`;
    return `${answers} answers${isAny ? '' : `, the last of them ${framing},`}`;
  };
  const closes = Array.from(
    ends.concluded,
    (answers) =>
      `The server closes its connections after ${answersText(answers, 'each')} without announcing it: ${endsForRule} in a row ended like that. From then on they were not used again after that.`,
  );
  const kept = Array.from(
    ends.dropped,
    (answers) =>
      `Later in the run the server kept a connection open after ${answersText(answers, 'its first')}: such connections were used again from then on.`,
  );
  return [...closes, ...kept];
};

/**
 * After how many answers a connection is not used again: as the scenario says, or as observed of a server that ends its
 * connections without announcing it, whatever its `Keep-Alive` says.
 */
export class ReuseRule {
  readonly #allowed: number;
  readonly #chunked = new ObservedEnds();
  readonly #whole = new ObservedEnds();

  constructor({
    reuse = true,
    maxRequestsPerConnection,
  }: Pick<ConnectionSettings, 'reuse' | 'maxRequestsPerConnection'>) {
    this.#allowed = reuse ? (maxRequestsPerConnection ?? Number.POSITIVE_INFINITY) : 1;
  }

  /** How long a connection is left alone after its answer, in ms; 0 once the server is known to keep it. */
  restAfter(connection: AnsweredConnection): number {
    return this.#endsAfter(connection).restAfter(connection.answers);
  }

  /** A connection did not end while it was left alone. */
  onRested(connection: AnsweredConnection): void {
    this.#endsAfter(connection).onRested();
  }

  get notes(): readonly string[] {
    const ofChunked = notesOf(this.#chunked, this.#whole, 'chunked');
    const ofWhole = notesOf(this.#whole, this.#chunked, 'unchunked');
    return [...new Set([...ofChunked, ...ofWhole])];
  }

  /** Whether a connection can be used again. */
  allowsReuse(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers < this.#allowed && answers < this.#endsAfter(connection).limit;
  }

  /** Whether only the observed rule of the server, not the scenario, keeps a connection from being used again. */
  isOnlyObserved(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers >= this.#endsAfter(connection).limit && answers < this.#allowed;
  }

  /** The next answer begins on a connection. */
  onReused(connection: AnsweredConnection): void {
    this.#endsAfter(connection).onReused(connection.answers);
  }

  /** The server has ended a connection `age` ms after the last of its answers. */
  onEnded(connection: AnsweredConnection, age: number): void {
    this.#endsAfter(connection).onEnded(connection.answers, age);
  }

  /** A connection stayed open after the observed number of answers: the observed rule is wrong, or the server has changed. */
  onKept(connection: AnsweredConnection): void {
    this.#endsAfter(connection).onKept();
  }

  #endsAfter({ isChunked }: AnsweredConnection): ObservedEnds {
    return isChunked ? this.#chunked : this.#whole;
  }
}

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

/** After how many answers a server ends its connections, as observed of those whose latest answer was of one framing. */
export class ObservedEnds {
  /** Connections are not used after so many answers. */
  limit = Number.POSITIVE_INFINITY;
  /** Every limit that was concluded, and every one that turned out to be wrong. */
  readonly concluded = new Set<number>();
  readonly dropped = new Set<number>();
  /** The latest connections that the server ended after the same number of answers. */
  #ends = noEnds;
  #reusesInARow = 0;
  /** Whether a connection has outlived its rest since the latest end. */
  #hasRested = false;

  get hasKept(): boolean {
    return this.#hasRested || this.#reusesInARow > 0;
  }

  /** How long a connection is left alone after `answers` answers on it, in ms; 0 once the server is known to keep it. */
  restAfter(answers: number): number {
    if (answers === this.#ends.answers) return rest.suspected;
    if (this.#reusesInARow >= reusesForTrust) return 0;
    return this.#hasRested ? rest.afterOne : rest.atFirst;
  }

  onRested(): void {
    this.#hasRested = true;
  }

  onReused(answers: number): void {
    this.#reusesInARow += 1;
    if (answers >= this.#ends.answers) this.#ends = noEnds;
  }

  /** The server has ended a connection `age` ms after the last of so many answers. */
  onEnded(answers: number, age: number): void {
    if (answers === 0 || age > justAfter) return;
    this.#reusesInARow = 0;
    this.#hasRested = false;
    const inARow = answers === this.#ends.answers ? this.#ends.inARow + 1 : 1;
    this.#ends = { answers, inARow };
    if (inARow < endsForRule) return;
    this.limit = answers;
    this.concluded.add(answers);
  }

  /** A connection stayed open after the observed number of answers: the observed rule is wrong, or the server has changed. */
  onKept(): void {
    if (this.limit === Number.POSITIVE_INFINITY) return;
    this.dropped.add(this.limit);
    this.limit = Number.POSITIVE_INFINITY;
    this.#ends = noEnds;
  }
}

/** What is known of a connection when it becomes idle. */
export interface AnsweredConnection {
  /** How many answers came on it. */
  readonly answers: number;
  /** Whether the latest of them was chunked, as streams are: some servers close after those only. */
  readonly isChunked: boolean;
}

/** Says what was observed, in sentences. `framing` is named only where the server treats other answers differently. */
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

  get notes(): readonly string[] {
    const ofChunked = notesOf(this.#chunked, this.#whole, 'chunked');
    const ofWhole = notesOf(this.#whole, this.#chunked, 'unchunked');
    return [...new Set([...ofChunked, ...ofWhole])];
  }

  allowsReuse(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers < this.#allowed && answers < this.endsOf(connection).limit;
  }

  /** Whether only the observed rule of the server, not the scenario, keeps a connection from being used again. */
  isOnlyObserved(connection: AnsweredConnection): boolean {
    const { answers } = connection;
    return answers >= this.endsOf(connection).limit && answers < this.#allowed;
  }

  /** What is known of the ends of connections whose latest answer was framed like that of this one. */
  endsOf({ isChunked }: AnsweredConnection): ObservedEnds {
    return isChunked ? this.#chunked : this.#whole;
  }
}

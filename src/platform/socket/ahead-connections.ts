import type { Clock } from '../../model/clock.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { SocketConnection } from './socket-connection.ts';

/** How long connections are opened in one turn of the loop, in ms: what has arrived meanwhile is read before the next ones. */
const longestTurn = 1;
/** How long an unused connection is kept, in ms; few servers close one sooner, and none that is this young is closed under a request. */
const unusedFor = 2000;

/** How long one may take to open, in ms: a request that is due gets a new attempt rather than one that hangs. */
const longestOpening = 1000;
/** How long none is opened after a failure, in ms; doubled by each further one. */
const firstPause = 1000;

/** The oldest of them: a server that serves one connection at a time takes them in this order. */
const oldestOf = (connections: ReadonlyMap<SocketConnection, Instant>): SocketConnection | null =>
  connections.keys().next().value ?? null;

/** Connections that are opened before their requests are due. */
export class AheadConnections {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #open: () => SocketConnection;
  /** Those that are being opened, and since when. */
  readonly #opening = new Map<SocketConnection, Instant>();
  readonly #ready = new Set<SocketConnection>();
  #wanted = 0;
  #isTurnSet = false;
  /** After a failure none is opened until a request has succeeded and a while has passed: a failing target is not to be hammered. */
  #hasFailed = false;
  /** The clock is negative before a run. */
  #pausedUntil = instant(Number.NEGATIVE_INFINITY);
  #nextPause = firstPause;

  /** `open` begins to open a connection. */
  constructor(clock: Pick<Clock, 'now'>, open: () => SocketConnection) {
    this.#clock = clock;
    this.#open = open;
  }

  /** Opens connections until `count` are ready or being opened, in turns of a millisecond. */
  want(count: number): void {
    const now = this.#clock.now();
    for (const connection of this.#ready) if (connection.idleUntil <= now) connection.destroy();
    this.#dropHanging(now);
    this.#wanted = count;
    if (!this.#isTurnSet) this.#openSome();
  }

  /** The oldest connection that is ready, else the oldest that is being opened. */
  take(now: Instant): SocketConnection | null {
    for (const connection of this.#ready) {
      this.#ready.delete(connection);
      if (connection.isOpen && connection.idleUntil > now) return this.#taken(connection);
      connection.destroy();
    }
    this.#dropHanging(now);
    const opening = oldestOf(this.#opening);
    if (opening === null) return null;
    this.#opening.delete(opening);
    return this.#taken(opening);
  }

  /** Called when one that nobody has taken is open. */
  onOpened(connection: SocketConnection): void {
    connection.idleUntil = instant(this.#clock.now() + unusedFor);
    this.#opening.delete(connection);
    this.#ready.add(connection);
  }

  /** Called when a connection is closed or no longer usable, whoever opened it. */
  onLost(connection: SocketConnection): void {
    const wasReady = this.#ready.delete(connection);
    const isExpired = wasReady && connection.idleUntil <= this.#clock.now();
    if ((wasReady || this.#opening.delete(connection)) && !isExpired) this.#onFailure();
  }

  onSuccess(): void {
    this.#hasFailed = false;
  }

  #onFailure(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#pausedUntil = instant(this.#clock.now() + this.#nextPause);
    this.#nextPause *= 2;
  }

  /** A handshake without an answer says nothing about the target: packets get lost in a burst. */
  #dropHanging(now: Instant): void {
    for (const [connection, since] of this.#opening) {
      if (now - since <= longestOpening) return;
      this.#opening.delete(connection);
      connection.destroy();
    }
  }

  #taken(connection: SocketConnection): SocketConnection {
    this.#wanted -= 1;
    return connection;
  }

  #openSome(): void {
    const now = this.#clock.now();
    if (now < this.#pausedUntil) return;
    while (!this.#hasFailed && this.#opening.size + this.#ready.size < this.#wanted) {
      this.#opening.set(this.#open(), now);
      if (this.#clock.now() < now + longestTurn) continue;
      this.#isTurnSet = true;
      setImmediate(this.#onTurn);
      return;
    }
  }

  readonly #onTurn = (): void => {
    this.#isTurnSet = false;
    this.#openSome();
  };
}

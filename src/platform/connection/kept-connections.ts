import type { Clock } from '../../model/clock.ts';
import type { Instant } from '../../model/quantity.ts';
import type { AnsweredConnection, ReuseRule } from './reuse-rule.ts';

/** A connection that may be used for further requests. */
export interface KeptConnection extends AnsweredConnection {
  /** Whether the socket is open, as far as this process knows. */
  readonly isOpen: boolean;
  readonly answeredAt: Instant;
  /** Until when the connection may be used for another request. */
  readonly idleUntil: Instant;
  destroy(): void;
}

/** Called with the connection for a waiting request; `null` means that the request needs a new connection. */
type UseConnection<Connection> = (connection: Connection | null) => void;

/** A connection that is not used again is watched for this many ms, to see whether the server ends it. */
const watchTime = 1000;
/** A watch begins at least this many ms after the start of the previous watch. */
const watchesApart = 5000;

/**
 * The idle connections to one target. A request gets the connection that was used most recently. The reuse rule limits
 * the number of requests of each connection.
 */
export class KeptConnections<Connection extends KeptConnection> {
  readonly #rule: ReuseRule;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #idle: Connection[] = [];
  /**
   * The connections that must rest before their next use, each with the time (`performance.now()`) at which its rest
   * began.
   */
  readonly #resting = new Map<Connection, number>();
  readonly #waiting: UseConnection<Connection>[] = [];
  #restTimer: { readonly at: number; readonly timer: NodeJS.Timeout } | null = null;
  /**
   * A connection that is not reused and stays open only to show whether the server ends it; `null` if there is none.
   */
  #watched: Connection | null = null;
  #nextWatch: number = Number.NEGATIVE_INFINITY;
  #watchTimer: NodeJS.Timeout | null = null;

  constructor(rule: ReuseRule, clock: Pick<Clock, 'now'>) {
    this.#rule = rule;
    this.#clock = clock;
  }

  /** Returns the number of connections that requests can use now or after a rest. */
  countUsable(now: Instant): number {
    const isUsable = (connection: Connection): boolean => this.#isUsable(connection, now);
    const resting = [...this.#resting.keys()].filter(isUsable).length - this.#waiting.length;
    return this.#idle.filter(isUsable).length + Math.max(0, resting);
  }

  take(now: Instant): Connection | null {
    for (
      let connection = this.#idle.pop();
      connection !== undefined;
      connection = this.#idle.pop()
    ) {
      if (this.#isUsable(connection, now)) return connection;
      connection.destroy();
    }
    return null;
  }

  /**
   * Calls `use` with a connection once the connection has rested, or with `null` if the connection is lost. Does not
   * call `use` if the exchange has ended by then. Returns `false` without waiting if every resting connection is
   * already promised to another request.
   */
  awaitRested(exchange: { readonly isFinished: boolean }, use: UseConnection<Connection>): boolean {
    if (this.#resting.size <= this.#waiting.length) return false;
    this.#waiting.push((rested) => {
      if (!exchange.isFinished) use(rested);
      else if (rested !== null) this.keep(rested);
    });
    return true;
  }

  /** Keeps, watches or closes a connection whose answer is complete. */
  keep(connection: Connection): void {
    if (this.#rule.allowsReuse(connection)) {
      if (this.#rule.endsOf(connection).restAfter(connection.answers) === 0)
        this.#idle.push(connection);
      else this.#rest(connection);
    } else if (
      this.#rule.isOnlyObserved(connection) &&
      this.#watched === null &&
      this.#clock.now() >= this.#nextWatch
    ) {
      this.#watch(connection);
    } else {
      connection.destroy();
    }
  }

  /** Records that the server ended a connection, idle or in use, and removes the connection. */
  onEnded(connection: Connection, at: Instant): void {
    this.#rule.endsOf(connection).onEnded(connection.answers, at - connection.answeredAt);
    this.forget(connection);
  }

  forget(connection: Connection): void {
    const idleAt = this.#idle.lastIndexOf(connection);
    if (idleAt >= 0) this.#idle.splice(idleAt, 1);
    this.#resting.delete(connection);
    if (this.#waiting.length > this.#resting.size) this.#waiting.shift()?.(null);
    if (this.#watched === connection) this.#watched = null;
  }

  /** Passes `null` to every waiting request. After this call, no connection may be kept. */
  close(): void {
    if (this.#restTimer !== null) clearTimeout(this.#restTimer.timer);
    if (this.#watchTimer !== null) clearTimeout(this.#watchTimer);
    for (const use of this.#waiting.splice(0)) use(null);
  }

  #isUsable(connection: Connection, now: Instant): boolean {
    const { isOpen, idleUntil } = connection;
    return isOpen && idleUntil > now && this.#rule.allowsReuse(connection);
  }

  #rest(connection: Connection): void {
    const since = performance.now();
    this.#resting.set(connection, since);
    this.#wakeAt(this.#restEnd(connection, since));
  }

  #wakeAt(at: number): void {
    if (this.#restTimer !== null && this.#restTimer.at <= at) return;
    if (this.#restTimer !== null) clearTimeout(this.#restTimer.timer);
    const wait = Math.max(0, at - performance.now());
    // When this immediate runs, the event loop has read the sockets and noticed whether the server ended the
    // connection.
    this.#restTimer = { at, timer: setTimeout(() => setImmediate(this.#onRested), wait) };
  }

  /**
   * Returns when the rest of a connection ends. The result is computed anew each time, because Weir may have learnt
   * more about the server since the rest began.
   */
  #restEnd(connection: Connection, since: number): number {
    return since + this.#rule.endsOf(connection).restAfter(connection.answers);
  }

  readonly #onRested = (): void => {
    if (this.#restTimer !== null) clearTimeout(this.#restTimer.timer);
    this.#restTimer = null;
    const now = this.#clock.now();
    const at = performance.now();
    for (const [connection, since] of this.#resting) {
      if (this.#restEnd(connection, since) > at) continue;
      this.#resting.delete(connection);
      this.#endRest(connection, now);
    }
    let next = Number.POSITIVE_INFINITY;
    for (const [connection, since] of this.#resting)
      next = Math.min(next, this.#restEnd(connection, since));
    if (next < Number.POSITIVE_INFINITY) this.#wakeAt(next);
  };

  #endRest(connection: Connection, now: Instant): void {
    const use = this.#waiting.shift();
    const isUsable = this.#isUsable(connection, now);
    if (isUsable) this.#rule.endsOf(connection).onRested();
    else connection.destroy();
    if (use !== undefined) use(isUsable ? connection : null);
    else if (isUsable) this.#idle.push(connection);
  }

  #watch(connection: Connection): void {
    this.#watched = connection;
    this.#nextWatch = this.#clock.now() + watchesApart;
    this.#watchTimer = setTimeout(() => {
      if (this.#watched !== connection) return;
      this.#watched = null;
      this.#rule.endsOf(connection).onKept();
      connection.destroy();
    }, watchTime).unref();
  }
}

import type { Clock } from '../../model/clock.ts';
import type { Instant } from '../../model/quantity.ts';
import type { ReuseRule } from './reuse-rule.ts';

/** A connection that can be used again. */
export interface KeptConnection {
  /** Whether the socket is open, as far as this process knows. */
  readonly isOpen: boolean;
  /** How many answers came on it, and when the last of them ended. */
  readonly answers: number;
  readonly answeredAt: Instant;
  /** The end of the time in which it can be used again. */
  readonly idleUntil: Instant;
  destroy(): void;
}

/** Called with the connection for a request, or with `null` if it needs another one. */
export type UseConnection<Connection> = (connection: Connection | null) => void;

/**
 * How long a connection is left alone after its answer while nothing is known of the server, in ms: an end often follows an
 * answer by a tenth of it. The event loop reads its sockets at least once in that time, however busy it is.
 */
export const restTime = 1;

/** How long a connection that is not used again is watched for its end, and how far apart such watches are, in ms. */
const watchTime = 1000;
const watchesApart = 5000;

/** The idle connections to one target: last in, first out, and only as often as the reuse rule allows. */
export class KeptConnections<Connection extends KeptConnection> {
  readonly #rule: ReuseRule;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #idle: Connection[] = [];
  /** Connections that are left alone for a moment, and since when by `performance.now()`, the oldest first; and the requests that wait for them. */
  readonly #resting = new Map<Connection, number>();
  readonly #waiting: UseConnection<Connection>[] = [];
  #restTimer: NodeJS.Timeout | null = null;
  /** Left open although it is not used again, to see whether the server still ends it. */
  #watched: Connection | null = null;
  #nextWatch: number = Number.NEGATIVE_INFINITY;
  #watchTimer: NodeJS.Timeout | null = null;

  constructor(rule: ReuseRule, clock: Pick<Clock, 'now'>) {
    this.#rule = rule;
    this.#clock = clock;
  }

  /** How many connections requests can use now or in a moment. */
  countUsable(now: Instant): number {
    const isUsable = (connection: Connection): boolean => this.#isUsable(connection, now);
    const resting = [...this.#resting.keys()].filter(isUsable).length - this.#waiting.length;
    return this.#idle.filter(isUsable).length + Math.max(0, resting);
  }

  /** The most recently used idle connection; `null` if there is none. */
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

  /** Waits for a connection that rests; returns `false`, and does not call `use`, if there is none that nobody waits for. */
  awaitRested(use: UseConnection<Connection>): boolean {
    if (this.#resting.size <= this.#waiting.length) return false;
    this.#waiting.push(use);
    return true;
  }

  /** Keeps a connection whose answer is complete, or closes it. */
  keep(connection: Connection, now: Instant): void {
    const { answers } = connection;
    if (this.#rule.allowsReuse(answers)) {
      if (this.#rule.isTrusted) this.#idle.push(connection);
      else this.#rest(connection);
    } else if (
      this.#rule.isOnlyLearnt(answers) &&
      this.#watched === null &&
      now >= this.#nextWatch
    ) {
      this.#watch(connection, now);
    } else {
      connection.destroy();
    }
  }

  /** Forgets a connection that the server ended at `at`, in use or not. */
  onEnded(connection: Connection, at: Instant): void {
    this.#rule.onEnded(connection.answers, at - connection.answeredAt);
    this.forget(connection);
  }

  /** Forgets a connection that is closed. */
  forget(connection: Connection): void {
    const idleAt = this.#idle.lastIndexOf(connection);
    if (idleAt >= 0) this.#idle.splice(idleAt, 1);
    this.#resting.delete(connection);
    if (this.#waiting.length > this.#resting.size) this.#waiting.shift()?.(null);
    if (this.#watched === connection) this.#watched = null;
  }

  /** Gives `null` to every request that waits; nothing must be kept any more. */
  close(): void {
    if (this.#restTimer !== null) clearTimeout(this.#restTimer);
    if (this.#watchTimer !== null) clearTimeout(this.#watchTimer);
    for (const use of this.#waiting.splice(0)) use(null);
  }

  #isUsable({ isOpen, idleUntil, answers }: Connection, now: Instant): boolean {
    return isOpen && idleUntil > now && this.#rule.allowsReuse(answers);
  }

  #rest(connection: Connection): void {
    this.#resting.set(connection, performance.now());
    this.#setRestTimer();
  }

  /** The sockets are read between a timer and what it sets for the same turn of the loop. */
  #setRestTimer(): void {
    this.#restTimer ??= setTimeout(() => setImmediate(this.#onRested), restTime);
  }

  readonly #onRested = (): void => {
    this.#restTimer = null;
    const now = this.#clock.now();
    const latest = performance.now() - restTime;
    for (const [connection, since] of this.#resting) {
      if (since > latest) return this.#setRestTimer();
      this.#resting.delete(connection);
      this.#endRest(connection, now);
    }
  };

  #endRest(connection: Connection, now: Instant): void {
    const use = this.#waiting.shift();
    const isUsable = this.#isUsable(connection, now);
    if (!isUsable) connection.destroy();
    if (use !== undefined) use(isUsable ? connection : null);
    else if (isUsable) this.#idle.push(connection);
  }

  #watch(connection: Connection, now: Instant): void {
    this.#watched = connection;
    this.#nextWatch = now + watchesApart;
    this.#watchTimer = setTimeout(() => {
      if (this.#watched !== connection) return;
      this.#watched = null;
      this.#rule.onKept();
      connection.destroy();
    }, watchTime).unref();
  }
}

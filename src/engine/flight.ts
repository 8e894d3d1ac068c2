import type { BrokenCause, Connection, Exchange, ExchangeObserver } from '../model/exchange.ts';
import type { Outcome } from '../model/observation.ts';
import type { AttemptFacts } from '../model/attempt.ts';
import type { Deadlines } from '../model/plan.ts';
import type { Instant } from '../model/quantity.ts';
import type { AnswerReader, Hint } from '../traffic/kind.ts';

/** What is known of an attempt before it is sent. */
export interface Errand {
  /** When its arrival was due: the total deadline counts from there, over all attempts. */
  readonly due: Instant;
  /** The key's name. */
  readonly key: string;
  readonly released: Instant;
  /** Tokens set aside for it under the pace. */
  readonly reserved: number | null;
  readonly begun: Instant;
}

/** What became of an attempt. */
export interface Landing {
  readonly facts: AttemptFacts;
  readonly outcome: Outcome;
  /** When to come back, as the server said. */
  readonly hint: Hint | null;
  /** Since when its user has been free. */
  readonly free: Instant;
}

/** What a flight tells its run. */
export interface Tower {
  /** Called when its first byte is about to be written; again if that has to be done on another connection. */
  departed(flight: Flight, at: Instant): void;
  /** Called once. */
  landed(flight: Flight, landing: Landing): void;
  /** Called after each read, so that due arrivals do not wait for a timer while data pours in. */
  pulse(): void;
}

/** After a stream's proper end the server may take this long to close it before the exchange is cut. */
const lingering = 250;

/** One exchange on its way: keeps its instants apart and lands exactly once. */
export class Flight implements ExchangeObserver {
  readonly #errand: Errand;
  readonly #reader: AnswerReader;
  readonly #tower: Tower;
  #exchange: Exchange | null = null;
  #connected: Instant | null = null;
  #connection: Connection | null = null;
  #sent: Instant | null = null;
  #lastRead: Instant | null = null;
  /** The read that completed the answer, though the body goes on. */
  #completed: Instant | null = null;
  #landed = false;
  /** No deadline passes before this moment, whatever comes. */
  #safeUntil = Number.NEGATIVE_INFINITY;

  constructor(errand: Errand, reader: AnswerReader, tower: Tower) {
    this.#errand = errand;
    this.#reader = reader;
    this.#tower = tower;
  }

  /** Hands over the running exchange, so that the flight can be aborted. */
  board(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  onConnected(at: Instant, connection: Connection): void {
    this.#connected = at;
    this.#connection = connection;
  }

  onSent(at: Instant): void {
    this.#sent = at;
    this.#tower.departed(this, at);
  }

  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void {
    this.#reader.onHeaders(at, status, headers);
  }

  onChunk(at: Instant, bytes: Uint8Array): void {
    this.#lastRead = at;
    this.#reader.onChunk(at, bytes);
    const { verdict } = this.#reader;
    if (verdict !== null) this.#exchange?.abort(verdict.cause, verdict.detail);
    if (this.#reader.complete) this.#completed ??= at;
    this.#tower.pulse();
  }

  onEnd(at: Instant): void {
    if (!this.#landed) this.#land(at, this.#reader.ended(at));
  }

  onFailure(at: Instant, cause: BrokenCause, detail: string): void {
    if (!this.#landed) this.#land(at, this.#reader.failed(at, cause, detail));
  }

  abort(cause: BrokenCause, detail: string): void {
    this.#exchange?.abort(cause, detail);
  }

  /** Aborts the exchange if it has passed a deadline, and ends one whose answer is complete though the server keeps it open. */
  checkDeadlines(now: Instant, deadlines: Deadlines): void {
    // There may be ten thousand flights, and this is asked of each of them fifty times a second.
    if (now < this.#safeUntil) return;
    if (this.#completed !== null) {
      if (now - this.#completed > lingering) this.#cutCompleted(this.#completed, now);
      return;
    }
    const read = this.#lastRead;
    const passed = (since: Instant | null, limit: number | null): boolean =>
      since !== null && limit !== null && now - since > limit;
    const { due, begun } = this.#errand;
    const cut = (cause: BrokenCause, limit: number | null, what: string): void =>
      this.abort(cause, `${what} within ${limit} ms`);
    if (this.#connected === null && passed(begun, deadlines.connect)) {
      cut('deadline-connect', deadlines.connect, 'no connection');
    } else if (!this.#reader.answering && passed(this.#sent, deadlines.firstToken)) {
      cut('deadline-first-token', deadlines.firstToken, 'no first token');
    } else if (passed(read, deadlines.idle)) {
      cut('deadline-idle', deadlines.idle, 'no further bytes');
    } else if (passed(due, deadlines.total)) {
      cut('deadline-total', deadlines.total, 'no complete answer');
    } else {
      this.#safeUntil = this.#safeFrom(now, deadlines);
    }
  }

  /** The soonest that a deadline can pass: one that runs, or one that begins to run right now. */
  #safeFrom(now: Instant, { connect, firstToken, idle, total }: Deadlines): number {
    const end = (since: Instant | null, limit: number | null): number =>
      limit === null ? Number.POSITIVE_INFINITY : (since ?? now) + limit;
    return Math.min(
      now + lingering,
      this.#connected === null ? end(this.#errand.begun, connect) : Number.POSITIVE_INFINITY,
      this.#reader.answering ? Number.POSITIVE_INFINITY : end(this.#sent, firstToken),
      end(this.#lastRead, idle),
      end(this.#errand.due, total),
    );
  }

  /** The exchange ended with the answer; that its user was kept waiting since is the server's doing, not the generator's. */
  #cutCompleted(ended: Instant, now: Instant): void {
    const detail = 'the answer was complete and the server kept the stream open';
    this.#land(ended, this.#reader.failed(ended, 'aborted', detail), now);
    this.abort('aborted', detail);
  }

  #land(ended: Instant, outcome: Outcome, free: Instant = ended): void {
    this.#landed = true;
    const { key, released, reserved, begun } = this.#errand;
    const facts: AttemptFacts = {
      ...{ key, released, reserved, begun },
      connected: this.#connected,
      connection: this.#connection,
      sent: this.#sent,
      head: this.#reader.head,
      ended,
    };
    this.#tower.landed(this, { facts, outcome, hint: this.#reader.hint, free });
  }
}

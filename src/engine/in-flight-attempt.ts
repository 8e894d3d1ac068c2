import type { Outcome } from '../model/observation/outcome.ts';
import type {
  BrokenCause,
  ConnectionReuse,
  Exchange,
  ExchangeObserver,
} from '../model/observation/exchange.ts';
import type { AttemptFacts } from '../model/observation/attempt.ts';
import type { Deadlines } from '../model/plan/plan.ts';
import type { Instant } from '../model/quantity.ts';
import type { AnswerReader, RetryHint } from '../traffic/traffic-handler.ts';

/** What is known of an attempt before it is sent. */
export interface AttemptContext {
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
export interface AttemptResult {
  readonly facts: AttemptFacts;
  readonly outcome: Outcome;
  /** When to come back, as the server said. */
  readonly retryHint: RetryHint | null;
  /** Since when its user has been free. */
  readonly userFreeAt: Instant;
}

/** What a flight tells its run. */
export interface AttemptListener {
  /** Called when its first byte is about to be written; again if that has to be done on another connection. */
  onSent(attempt: InFlightAttempt, at: Instant): void;
  /** Called once. */
  onFinished(attempt: InFlightAttempt, result: AttemptResult): void;
  /** Called after each read, so that due arrivals do not wait for a timer while data pours in. */
  onTick(): void;
}

/** After a stream's proper end the server may take this long to close it before the exchange is cut. */
const closeGrace = 250;

/** One exchange on its way: keeps its instants apart and lands exactly once. */
export class InFlightAttempt implements ExchangeObserver {
  readonly #context: AttemptContext;
  readonly #reader: AnswerReader;
  readonly #listener: AttemptListener;
  #exchange: Exchange | null = null;
  #connected: Instant | null = null;
  #connection: ConnectionReuse | null = null;
  #sent: Instant | null = null;
  #lastRead: Instant | null = null;
  /** The read that completed the answer, though the body goes on. */
  #completed: Instant | null = null;
  #isFinished = false;
  /** No deadline passes before this moment, whatever comes. */
  #nextDeadlineCheck = Number.NEGATIVE_INFINITY;

  constructor(context: AttemptContext, reader: AnswerReader, listener: AttemptListener) {
    this.#context = context;
    this.#reader = reader;
    this.#listener = listener;
  }

  /** Hands over the running exchange, so that the flight can be aborted. */
  attach(exchange: Exchange): void {
    this.#exchange = exchange;
  }

  onConnected(at: Instant, connection: ConnectionReuse): void {
    this.#connected = at;
    this.#connection = connection;
  }

  onSent(at: Instant): void {
    this.#sent = at;
    this.#listener.onSent(this, at);
  }

  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void {
    this.#reader.onHeaders(at, status, headers);
  }

  onChunk(at: Instant, bytes: Uint8Array): void {
    this.#lastRead = at;
    this.#reader.onChunk(at, bytes);
    const { abortReason } = this.#reader;
    if (abortReason !== null) this.#exchange?.abort(abortReason.cause, abortReason.detail);
    if (this.#reader.isComplete) this.#completed ??= at;
    this.#listener.onTick();
  }

  onEnd(at: Instant): void {
    if (!this.#isFinished) this.#finish(at, this.#reader.ended(at));
  }

  onFailure(at: Instant, cause: BrokenCause, detail: string): void {
    if (!this.#isFinished) this.#finish(at, this.#reader.failed(at, cause, detail));
  }

  abort(cause: BrokenCause, detail: string): void {
    this.#exchange?.abort(cause, detail);
  }

  /** Aborts the exchange if it has passed a deadline, and ends one whose answer is complete though the server keeps it open. */
  checkDeadlines(now: Instant, deadlines: Deadlines): void {
    // There may be ten thousand flights, and this is asked of each of them fifty times a second.
    if (now < this.#nextDeadlineCheck) return;
    if (this.#completed !== null) {
      if (now - this.#completed > closeGrace) this.#finishCompleted(this.#completed, now);
      return;
    }
    const read = this.#lastRead;
    const passed = (since: Instant | null, limit: number | null): boolean =>
      since !== null && limit !== null && now - since > limit;
    const { due, begun } = this.#context;
    const abortLate = (cause: BrokenCause, limit: number | null, what: string): void =>
      this.abort(cause, `${what} within ${limit} ms`);
    if (this.#connected === null && passed(begun, deadlines.connect)) {
      abortLate('deadline-connect', deadlines.connect, 'no connection');
    } else if (!this.#reader.isAnswering && passed(this.#sent, deadlines.firstToken)) {
      abortLate('deadline-first-token', deadlines.firstToken, 'no first token');
    } else if (passed(read, deadlines.idle)) {
      abortLate('deadline-idle', deadlines.idle, 'no further bytes');
    } else if (passed(due, deadlines.total)) {
      abortLate('deadline-total', deadlines.total, 'no complete answer');
    } else {
      this.#nextDeadlineCheck = this.#earliestDeadline(now, deadlines);
    }
  }

  /** The soonest that a deadline can pass: one that runs, or one that begins to run right now. */
  #earliestDeadline(now: Instant, { connect, firstToken, idle, total }: Deadlines): number {
    const end = (since: Instant | null, limit: number | null): number =>
      limit === null ? Number.POSITIVE_INFINITY : (since ?? now) + limit;
    return Math.min(
      now + closeGrace,
      this.#connected === null ? end(this.#context.begun, connect) : Number.POSITIVE_INFINITY,
      this.#reader.isAnswering ? Number.POSITIVE_INFINITY : end(this.#sent, firstToken),
      end(this.#lastRead, idle),
      end(this.#context.due, total),
    );
  }

  /** The exchange ended with the answer; that its user was kept waiting since is the server's doing, not the generator's. */
  #finishCompleted(ended: Instant, now: Instant): void {
    const detail = 'the answer was complete and the server kept the stream open';
    this.#finish(ended, this.#reader.failed(ended, 'aborted', detail), now);
    this.abort('aborted', detail);
  }

  #finish(ended: Instant, outcome: Outcome, userFreeAt: Instant = ended): void {
    this.#isFinished = true;
    const { key, released, reserved, begun } = this.#context;
    const facts: AttemptFacts = {
      key,
      released,
      reserved,
      begun,
      connected: this.#connected,
      connection: this.#connection,
      sent: this.#sent,
      head: this.#reader.head,
      ended,
    };
    this.#listener.onFinished(this, {
      facts,
      outcome,
      retryHint: this.#reader.retryHint,
      userFreeAt,
    });
  }
}

import type { Clock } from '../../model/clock.ts';
import type {
  BrokenCause,
  ConnectionOrigin,
  Exchange,
  ExchangeObserver,
} from '../../model/observation/exchange.ts';
import type { Instant } from '../../model/quantity.ts';
import { failureCause, failureDetail } from './failure-cause.ts';
import { isUnwritten } from './refused-request.ts';

/** Throws outside of any handler, so that a defect ends the process. */
export const throwUncaught = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};

/** One exchange on one connection: notifies its observer, and ends exactly once. */
export abstract class ObservedExchange implements Exchange {
  protected readonly clock: Clock;
  protected readonly observer: ExchangeObserver;
  /** Receives what the observer throws. The exchange has ended and its observer is not called again. */
  readonly #onDefect: (error: unknown) => void;
  /** `null` while a connection is being opened. */
  #connection: ConnectionOrigin | null = null;
  #sent: Instant | null = null;
  #isFinished = false;
  #hasMoved = false;

  constructor(clock: Clock, observer: ExchangeObserver, onDefect: (error: unknown) => void) {
    this.clock = clock;
    this.observer = observer;
    this.#onDefect = onDefect;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  /** Called once, before the observer is notified of the end, with the ms for which the connection can be used again. */
  protected abstract release(reusableFor: number): void;

  /** Sends the request again, on a new connection. Called at most once, after the observer was notified. */
  protected abstract resend(): void;

  /**
   * Whether a server that has not begun to answer may turn out not to have read the request, so that it can be sent again: once,
   * and only if the connection was open before the request. When a connection that was opened for it fails, that is how the server answers.
   */
  mayMove(hasResponse: boolean): boolean {
    const wasKept = this.#connection === 'reused' || this.#connection === 'ahead';
    const wasSent = this.#sent !== null;
    return wasKept && wasSent && !hasResponse && !this.#hasMoved && !this.#isFinished;
  }

  /** A connection is being opened, perhaps instead of a kept one that turned out to be closed: errors are now connect errors. */
  connecting(): void {
    this.#connection = null;
  }

  /** The connection is open. Called again, with `new`, if a kept one turned out to be closed and was reopened. */
  connected(at: Instant, connection: ConnectionOrigin): void {
    if (this.#isFinished) return;
    this.#connection = connection;
    this.notify((observer) => observer.onConnected(at, connection));
  }

  /** Called before its request is written. */
  sent(at: Instant): void {
    this.#sent = at;
    this.notify((observer) => observer.onSent(at));
  }

  complete(at: Instant, reusableFor: number): void {
    if (this.#isFinished) return;
    this.#end(reusableFor);
    this.notify((observer) => observer.onEnd(at));
  }

  abort(cause: BrokenCause, detail: string): void {
    if (this.#isFinished) return;
    const at = this.clock.now();
    this.#end(0);
    this.notify((observer) => observer.onFailure(at, cause, detail));
  }

  /**
   * Ends it with an error of its socket, its TLS stack or its HTTP parser, or moves it to a new connection if the server cannot have
   * read the request; `hasResponse` says whether a byte of an answer was received.
   */
  fail(error: Error, hasResponse: boolean, detail = failureDetail(error)): void {
    if (this.mayMove(hasResponse) && isUnwritten(error)) return this.#move();
    const sinceSent = this.#sent === null ? null : this.clock.now() - this.#sent;
    const progress = { connection: this.#connection, sinceSent, hasResponse };
    this.abort(failureCause(error, progress), detail);
  }

  protected notify(call: (observer: ExchangeObserver) => void): void {
    try {
      call(this.observer);
    } catch (error) {
      this.#endByDefect(error);
    }
  }

  /** Passes on a piece of the body. Not by `notify`: a closure for each piece is garbage. */
  protected notifyChunk(at: Instant, bytes: Uint8Array): void {
    if (this.#isFinished) return;
    try {
      this.observer.onChunk(at, bytes);
    } catch (error) {
      this.#endByDefect(error);
    }
  }

  #endByDefect(error: unknown): void {
    if (!this.#isFinished) this.#end(0);
    this.#onDefect(error);
  }

  #move(): void {
    this.#hasMoved = true;
    this.#connection = null;
    this.#sent = null;
    const at = this.clock.now();
    this.notify((observer) => observer.onReconnect(at));
    if (!this.#isFinished) this.resend();
  }

  #end(reusableFor: number): void {
    this.#isFinished = true;
    this.release(reusableFor);
  }
}

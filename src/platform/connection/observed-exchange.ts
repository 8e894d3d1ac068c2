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

/** Throws an error outside of any handler, so that the error ends the process. */
export const throwUncaught = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};

/** One exchange on one connection. The exchange reports to its observer, and ends exactly once. */
export abstract class ObservedExchange implements Exchange {
  protected readonly clock: Clock;
  protected readonly observer: ExchangeObserver;
  /** Receives an error that the observer has thrown. The exchange ends before this call. */
  readonly #onDefect: (error: unknown) => void;
  /** The origin of the request's connection; `null` while a connection is being opened. */
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

  /**
   * Releases the connection; called once, just before the observer learns that the exchange has ended. Another exchange
   * may use the connection within the next `reusableFor` ms.
   */
  protected abstract release(reusableFor: number): void;

  /** Sends the request again on a new connection; called at most once. */
  protected abstract resend(): void;

  /**
   * Returns whether the request may be sent again if the server certainly did not read the request. A request is sent
   * again at most once, only before the first byte of an answer, and only if the connection was open before the
   * request. If the connection was opened for this request, the failure is the result.
   */
  mayMove(hasResponse: boolean): boolean {
    const wasKept = this.#connection === 'reused' || this.#connection === 'ahead';
    const wasSent = this.#sent !== null;
    return wasKept && wasSent && !hasResponse && !this.#hasMoved && !this.#isFinished;
  }

  /** Records that a connection is being opened. Until the connection is open, errors are connect errors. */
  connecting(): void {
    this.#connection = null;
  }

  /**
   * Records that the connection is open. A second call with `new` means that the server had closed the kept connection.
   */
  connected(at: Instant, connection: ConnectionOrigin): void {
    if (this.#isFinished) return;
    this.#connection = connection;
    this.notify((observer) => observer.onConnected(at, connection));
  }

  /** Called just before the request is written. */
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
   * Ends the exchange with an error. If the server cannot have read the request, the request is sent again on a new
   * connection instead. `hasResponse` says whether a byte of an answer was received.
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

  /**
   * Passes on a piece of the body. This method does not use `notify`, since a closure for each piece would become
   * garbage.
   */
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

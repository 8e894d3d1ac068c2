import type { Clock } from '../../model/clock.ts';
import type {
  BrokenCause,
  ConnectionReuse,
  Exchange,
  ExchangeObserver,
} from '../../model/observation/exchange.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import { failureCause, failureDetail } from '../connection/failure-cause.ts';
import type { ResponseSink } from './response-parser.ts';
import type { HttpFault } from './http-fault.ts';

/** What an exchange needs from its connection. */
export interface ConnectionOwner {
  /** Called once, before the observer is notified of the end, with the ms for which the connection can be used again. */
  release(reusableFor: number): void;
}

/** One exchange on one connection: translates the connection's events into the port's calls and ends exactly once. */
export class SocketExchange implements Exchange, ResponseSink {
  /** The instant of the current read. */
  readAt: Instant = instant(0);
  readonly #clock: Clock;
  readonly #observer: ExchangeObserver;
  /** Receives what the observer throws. The exchange has ended and its observer is not called again. */
  readonly #onDefect: (error: unknown) => void;
  #owner: ConnectionOwner | null = null;
  /** `null` while a connection is being opened. */
  #connection: ConnectionReuse | null = null;
  #sent: Instant | null = null;
  #isFinished = false;

  constructor(clock: Clock, observer: ExchangeObserver, onDefect: (error: unknown) => void) {
    this.#clock = clock;
    this.#observer = observer;
    this.#onDefect = onDefect;
  }

  get isFinished(): boolean {
    return this.#isFinished;
  }

  setOwner(owner: ConnectionOwner): void {
    this.#owner = owner;
  }

  connected(at: Instant, connection: ConnectionReuse): void {
    this.#connection = connection;
    try {
      this.#observer.onConnected(at, connection);
    } catch (error) {
      this.#defect(error);
    }
  }

  /** Called before its request is written. */
  sent(at: Instant): void {
    this.#sent = at;
    try {
      this.#observer.onSent(at);
    } catch (error) {
      this.#defect(error);
    }
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#isFinished) return;
    try {
      this.#observer.onHeaders(this.readAt, status, headers);
    } catch (error) {
      this.#defect(error);
    }
  }

  onContent(bytes: Buffer, from: number, to: number): void {
    if (this.#isFinished) return;
    try {
      this.#observer.onChunk(this.readAt, bytes.subarray(from, to));
    } catch (error) {
      this.#defect(error);
    }
  }

  complete(reusableFor: number): void {
    if (this.#isFinished) return;
    this.#end(reusableFor);
    try {
      this.#observer.onEnd(this.readAt);
    } catch (error) {
      this.#onDefect(error);
    }
  }

  /** The response cannot be read further; `answered` says whether a byte of it was received. */
  onFault({ cause, detail }: HttpFault, hasResponse: boolean): void {
    if (cause !== 'closed-early') return this.abort(cause, detail);
    const code = 'ERR_STREAM_PREMATURE_CLOSE';
    this.abort(this.#causeOf(Object.assign(new Error(detail), { code }), hasResponse), detail);
  }

  /** The connection failed. */
  onConnectionFailure(error: Error, hasResponse: boolean): void {
    this.abort(this.#causeOf(error, hasResponse), failureDetail(error));
  }

  abort(cause: BrokenCause, detail: string): void {
    if (this.#isFinished) return;
    const at = this.#clock.now();
    this.#end(0);
    try {
      this.#observer.onFailure(at, cause, detail);
    } catch (error) {
      this.#onDefect(error);
    }
  }

  #causeOf(error: Error, hasResponse: boolean): BrokenCause {
    const sinceSent = this.#sent === null ? null : this.#clock.now() - this.#sent;
    return failureCause(error, { connection: this.#connection, sinceSent, hasResponse });
  }

  #end(reusableFor: number): void {
    this.#isFinished = true;
    this.#owner?.release(reusableFor);
  }

  #defect(error: unknown): void {
    if (!this.#isFinished) this.#end(0);
    this.#onDefect(error);
  }
}

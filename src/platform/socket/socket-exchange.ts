import type { Clock } from '../../model/clock.ts';
import type { BrokenCause, Connection, Exchange, ExchangeObserver } from '../../model/exchange.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import { failureCause, failureDetail } from '../failure-cause.ts';
import type { ResponseSink } from './deframer.ts';
import type { Fault } from './fault.ts';

/** What an exchange sits on. */
export interface Seat {
  /** Called once, before the observer learns of the end; the connection may serve others for so many milliseconds. */
  release(reusableFor: number): void;
}

/** One exchange on one connection, translating what the connection tells into the port's words, and ending exactly once. */
export class SocketExchange implements Exchange, ResponseSink {
  /** The instant of the read that is being taken apart. */
  readAt: Instant = instant(0);
  readonly #clock: Clock;
  readonly #observer: ExchangeObserver;
  /** Takes what the observer throws. The exchange has ended by then and its observer hears no more. */
  readonly #onDefect: (error: unknown) => void;
  #seat: Seat | null = null;
  /** `null` while a connection is being opened. */
  #connection: Connection | null = null;
  #sent: Instant | null = null;
  #over = false;

  constructor(clock: Clock, observer: ExchangeObserver, onDefect: (error: unknown) => void) {
    this.#clock = clock;
    this.#observer = observer;
    this.#onDefect = onDefect;
  }

  get over(): boolean {
    return this.#over;
  }

  sitOn(seat: Seat): void {
    this.#seat = seat;
  }

  connected(at: Instant, connection: Connection): void {
    this.#connection = connection;
    try {
      this.#observer.onConnected(at, connection);
    } catch (error) {
      this.#defect(error);
    }
  }

  /** Its request is written next. */
  sent(at: Instant): void {
    this.#sent = at;
    try {
      this.#observer.onSent(at);
    } catch (error) {
      this.#defect(error);
    }
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (this.#over) return;
    try {
      this.#observer.onHeaders(this.readAt, status, headers);
    } catch (error) {
      this.#defect(error);
    }
  }

  onContent(bytes: Buffer, from: number, till: number): void {
    if (this.#over) return;
    try {
      this.#observer.onChunk(this.readAt, bytes.subarray(from, till));
    } catch (error) {
      this.#defect(error);
    }
  }

  complete(reusableFor: number): void {
    if (this.#over) return;
    this.#end(reusableFor);
    try {
      this.#observer.onEnd(this.readAt);
    } catch (error) {
      this.#onDefect(error);
    }
  }

  /** The response cannot be read on; `answered` says whether a byte of it had come. */
  refuse({ cause, detail }: Fault, answered: boolean): void {
    if (cause !== 'closed-early') return this.abort(cause, detail);
    const code = 'ERR_STREAM_PREMATURE_CLOSE';
    this.abort(this.#causeOf(Object.assign(new Error(detail), { code }), answered), detail);
  }

  /** The connection failed. */
  broke(error: Error, answered: boolean): void {
    this.abort(this.#causeOf(error, answered), failureDetail(error));
  }

  abort(cause: BrokenCause, detail: string): void {
    if (this.#over) return;
    const at = this.#clock.now();
    this.#end(0);
    try {
      this.#observer.onFailure(at, cause, detail);
    } catch (error) {
      this.#onDefect(error);
    }
  }

  #causeOf(error: Error, answered: boolean): BrokenCause {
    const sinceSent = this.#sent === null ? null : this.#clock.now() - this.#sent;
    return failureCause(error, { connection: this.#connection, sinceSent, answered });
  }

  #end(reusableFor: number): void {
    this.#over = true;
    this.#seat?.release(reusableFor);
  }

  #defect(error: unknown): void {
    if (!this.#over) this.#end(0);
    this.#onDefect(error);
  }
}

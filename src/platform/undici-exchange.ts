import type { Dispatcher } from 'undici';
import type { Clock } from '../model/clock.ts';
import type { BrokenCause, Connection, Exchange, ExchangeObserver } from '../model/exchange.ts';
import type { Instant } from '../model/quantity.ts';
import { failureCause, failureDetail } from './failure-cause.ts';

/** What an exchange sees of the connection that it runs on. */
export interface Wiretap {
  /** The stamp of the latest socket read; `null` before the first, and where reads cannot be seen (HTTP/2). */
  readAt: Instant | null;
  /** Whether a byte has come since the request was sent. */
  heard: boolean;
}

/** What an exchange tells of itself beside its observer. */
export interface ExchangeEnds {
  /** Called once, before the observer learns of the end. */
  readonly release: (reusable: boolean) => void;
  /** Takes what the observer throws, since undici would swallow it. The exchange has ended by then and its observer hears no more. */
  readonly onDefect: (error: unknown) => void;
}

type DispatchController = Dispatcher.DispatchController;

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

/** One exchange on one connection, translating undici's callbacks into the port's, and ending exactly once. */
export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #tap: Wiretap;
  readonly #observer: ExchangeObserver;
  readonly #ends: ExchangeEnds;
  /** `null` while a connection is being opened. */
  #connection: Connection | null = null;
  #sent: Instant | null = null;
  #answered = false;
  #reusable = true;
  #over = false;

  constructor(clock: Clock, tap: Wiretap, observer: ExchangeObserver, ends: ExchangeEnds) {
    this.#clock = clock;
    this.#tap = tap;
    this.#observer = observer;
    this.#ends = ends;
  }

  /** A connection is being opened, perhaps in place of a kept one that turned out closed: what fails now fails while connecting. */
  connecting(): void {
    this.#connection = null;
  }

  /** The connection is there. Told again, as `new`, when a kept one turned out closed and was opened anew. */
  connected(at: Instant, connection: Connection): void {
    if (this.#over) return;
    this.#connection = connection;
    this.#tell((observer) => observer.onConnected(at, connection));
  }

  onRequestStart(controller: DispatchController): void {
    if (this.#over) return controller.abort(new Error('aborted'));
    this.#tap.readAt = null;
    this.#tap.heard = false;
    const at = this.#clock.now();
    this.#sent = at;
    this.#tell((observer) => observer.onSent(at));
  }

  onResponseStart(
    _: DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#answered = true;
    if (this.#over || status < 200) return;
    this.#reusable = headers['connection'] !== 'close';
    this.#tell((observer) => observer.onHeaders(this.#now(), status, flatten(headers)));
  }

  onResponseData(_: DispatchController, chunk: Buffer): void {
    if (!this.#over) this.#tell((observer) => observer.onChunk(this.#now(), chunk));
  }

  onResponseEnd(): void {
    if (this.#over) return;
    const at = this.#now();
    this.#end(this.#reusable);
    this.#tell((observer) => observer.onEnd(at));
  }

  onResponseError(_: DispatchController, error: Error): void {
    const sinceSent = this.#sent === null ? null : this.#clock.now() - this.#sent;
    this.#fail(
      failureCause(error, {
        connection: this.#connection,
        sinceSent,
        answered: this.#answered || this.#tap.heard,
      }),
      failureDetail(error),
    );
  }

  abort(cause: BrokenCause, detail: string): void {
    this.#fail(cause, detail);
  }

  #fail(cause: BrokenCause, detail: string): void {
    if (this.#over) return;
    const at = this.#clock.now();
    this.#end(false);
    this.#tell((observer) => observer.onFailure(at, cause, detail));
  }

  #end(reusable: boolean): void {
    if (this.#over) return;
    this.#over = true;
    this.#ends.release(reusable);
  }

  #tell(say: (observer: ExchangeObserver) => void): void {
    try {
      say(this.#observer);
    } catch (error) {
      this.#end(false);
      this.#ends.onDefect(error);
    }
  }

  #now(): Instant {
    return this.#tap.readAt ?? this.#clock.now();
  }
}

import type { Dispatcher } from 'undici';
import type { Clock } from '../../model/clock.ts';
import type {
  BrokenCause,
  ConnectionReuse,
  Exchange,
  ExchangeObserver,
} from '../../model/observation/exchange.ts';
import type { Instant } from '../../model/quantity.ts';
import { failureCause, failureDetail } from '../connection/failure-cause.ts';

/** What an exchange knows of its connection. */
export interface ReadMonitor {
  /** The instant of the latest socket read; `null` before the first, and where reads are invisible (HTTP/2). */
  readAt: Instant | null;
  /** Whether a byte was received since the request was sent. */
  hasReceived: boolean;
}

/** Callbacks of an exchange besides its observer. */
export interface ExchangeHooks {
  /** Called once, before the observer is notified of the end. */
  readonly release: (reusable: boolean) => void;
  /** Receives what the observer throws, since undici would swallow it. The exchange has ended and its observer is not called again. */
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

/** One exchange on one connection: translates undici's callbacks into the port's and ends exactly once. */
export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #reads: ReadMonitor;
  readonly #observer: ExchangeObserver;
  readonly #hooks: ExchangeHooks;
  /** `null` while a connection is being opened. */
  #connection: ConnectionReuse | null = null;
  #sent: Instant | null = null;
  #answered = false;
  #reusable = true;
  #isFinished = false;

  constructor(clock: Clock, reads: ReadMonitor, observer: ExchangeObserver, hooks: ExchangeHooks) {
    this.#clock = clock;
    this.#reads = reads;
    this.#observer = observer;
    this.#hooks = hooks;
  }

  /** A connection is being opened, perhaps instead of a kept one that turned out to be closed: errors are now connect errors. */
  connecting(): void {
    this.#connection = null;
  }

  /** The connection is open. Called again, with `new`, if a kept one turned out to be closed and was reopened. */
  connected(at: Instant, connection: ConnectionReuse): void {
    if (this.#isFinished) return;
    this.#connection = connection;
    this.#notify((observer) => observer.onConnected(at, connection));
  }

  onRequestStart(controller: DispatchController): void {
    if (this.#isFinished) return controller.abort(new Error('aborted'));
    this.#reads.readAt = null;
    this.#reads.hasReceived = false;
    const at = this.#clock.now();
    this.#sent = at;
    this.#notify((observer) => observer.onSent(at));
  }

  onResponseStart(
    _: DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#answered = true;
    if (this.#isFinished || status < 200) return;
    this.#reusable = headers['connection'] !== 'close';
    this.#notify((observer) => observer.onHeaders(this.#now(), status, flatten(headers)));
  }

  onResponseData(_: DispatchController, chunk: Buffer): void {
    if (!this.#isFinished) this.#notify((observer) => observer.onChunk(this.#now(), chunk));
  }

  onResponseEnd(): void {
    if (this.#isFinished) return;
    const at = this.#now();
    this.#end(this.#reusable);
    this.#notify((observer) => observer.onEnd(at));
  }

  onResponseError(_: DispatchController, error: Error): void {
    const sinceSent = this.#sent === null ? null : this.#clock.now() - this.#sent;
    this.#fail(
      failureCause(error, {
        connection: this.#connection,
        sinceSent,
        hasResponse: this.#answered || this.#reads.hasReceived,
      }),
      failureDetail(error),
    );
  }

  abort(cause: BrokenCause, detail: string): void {
    this.#fail(cause, detail);
  }

  #fail(cause: BrokenCause, detail: string): void {
    if (this.#isFinished) return;
    const at = this.#clock.now();
    this.#end(false);
    this.#notify((observer) => observer.onFailure(at, cause, detail));
  }

  #end(reusable: boolean): void {
    if (this.#isFinished) return;
    this.#isFinished = true;
    this.#hooks.release(reusable);
  }

  #notify(call: (observer: ExchangeObserver) => void): void {
    try {
      call(this.#observer);
    } catch (error) {
      this.#end(false);
      this.#hooks.onDefect(error);
    }
  }

  #now(): Instant {
    return this.#reads.readAt ?? this.#clock.now();
  }
}

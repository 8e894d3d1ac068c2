import type { Client, Dispatcher } from 'undici';
import type { Clock } from '../model/clock.ts';
import type { BrokenCause, Connection, Exchange, ExchangeObserver } from '../model/exchange.ts';
import type { Instant } from '../model/quantity.ts';
import type { Connecting } from './connector.ts';
import { failureCause, failureDetail } from './failure-cause.ts';

/** One connection: an undici client of its own, since time queued inside a pool is invisible. */
export interface Line {
  readonly client: Client;
  /** The stamp of the latest socket read; `null` where reads cannot be seen (HTTP/2). */
  readAt: Instant | null;
  idle: boolean;
  exchange: UndiciExchange | null;
  /** Its connection, from the moment it is being opened: undici does not give up one on its way. */
  connecting: Connecting | null;
}

type DispatchController = Dispatcher.DispatchController;

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

/** undici swallows what its handlers throw; a defect of ours must end the run instead. */
const surely = (tell: () => void): void => {
  try {
    tell();
  } catch (defect) {
    queueMicrotask(() => {
      throw defect;
    });
  }
};

/** One exchange on one line, translating undici's callbacks into the port's, and ending exactly once. */
export class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
  readonly #clock: Clock;
  readonly #line: Line;
  readonly #observer: ExchangeObserver;
  readonly #release: (line: Line, reusable: boolean) => void;
  #connection: Connection | null = null;
  #sent = false;
  #answered = false;
  #reusable = true;
  #over = false;

  constructor(
    clock: Clock,
    line: Line,
    observer: ExchangeObserver,
    release: (line: Line, reusable: boolean) => void,
  ) {
    this.#clock = clock;
    this.#line = line;
    this.#observer = observer;
    this.#release = release;
  }

  /** The line is connected. Told again, as `new`, when a kept connection turned out closed and was opened anew. */
  connected(at: Instant, connection: Connection): void {
    if (this.#over) return;
    this.#connection = connection;
    surely(() => this.#observer.onConnected(at, connection));
  }

  onRequestStart(controller: DispatchController): void {
    if (this.#over) return controller.abort(new Error('aborted'));
    this.#sent = true;
    this.#line.readAt = null;
    surely(() => this.#observer.onSent(this.#clock.now()));
  }

  onResponseStart(
    _: DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.#over || status < 200) return;
    this.#answered = true;
    this.#reusable = headers['connection'] !== 'close';
    surely(() => this.#observer.onHeaders(this.#now(), status, flatten(headers)));
  }

  onResponseData(_: DispatchController, chunk: Buffer): void {
    if (!this.#over) surely(() => this.#observer.onChunk(this.#now(), chunk));
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    const at = this.#now();
    this.#release(this.#line, this.#reusable);
    surely(() => this.#observer.onEnd(at));
  }

  onResponseError(_: DispatchController, error: Error): void {
    this.#fail(
      failureCause(error, {
        connection: this.#connection,
        sent: this.#sent,
        answered: this.#answered,
      }),
      failureDetail(error),
    );
  }

  abort(cause: BrokenCause, detail: string): void {
    this.#fail(cause, detail);
  }

  #fail(cause: BrokenCause, detail: string): void {
    if (this.#over) return;
    this.#over = true;
    const at = this.#clock.now();
    this.#release(this.#line, false);
    surely(() => this.#observer.onFailure(at, cause, detail));
  }

  #now(): Instant {
    return this.#line.readAt ?? this.#clock.now();
  }
}

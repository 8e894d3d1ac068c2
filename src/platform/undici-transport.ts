import type { Socket } from 'node:net';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Clock } from '../model/clock.ts';
import type {
  BrokenCause,
  Connection,
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../model/exchange.ts';
import type { Wire } from '../model/plan.ts';
import type { Instant } from '../model/quantity.ts';
import { connectorTo } from './connector.ts';
import { failureCause, failureDetail } from './failure-cause.ts';

/** Idle connections are kept this long unless the server's keep-alive hint says less. */
const keepAlive = 600_000;

/** No deadline of undici's own: its 300 s default would cut slow answers. */
const clientOptions = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: keepAlive,
  keepAliveMaxTimeout: keepAlive,
  pipelining: 1,
} as const;

/** One connection: an undici client of its own, since time queued inside a pool is invisible. */
interface Line {
  readonly client: Client;
  /** The stamp of the latest socket read; `null` where reads cannot be seen (HTTP/2). */
  readAt: Instant | null;
  idle: boolean;
  exchange: UndiciExchange | null;
}

type DispatchController = Dispatcher.DispatchController;

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

/** One exchange on one line, translating undici's callbacks into the port's, and ending exactly once. */
class UndiciExchange implements Exchange, Dispatcher.DispatchHandler {
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
    this.#observer.onConnected(at, connection);
  }

  onRequestStart(controller: DispatchController): void {
    if (this.#over) return controller.abort(new Error('aborted'));
    this.#sent = true;
    this.#line.readAt = null;
    this.#observer.onSent(this.#clock.now());
  }

  onResponseStart(
    _: DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (this.#over || status < 200) return;
    this.#answered = true;
    this.#reusable = headers['connection'] !== 'close';
    this.#observer.onHeaders(this.#now(), status, flatten(headers));
  }

  onResponseData(_: DispatchController, chunk: Buffer): void {
    if (!this.#over) this.#observer.onChunk(this.#now(), chunk);
  }

  onResponseEnd(): void {
    if (this.#over) return;
    this.#over = true;
    const at = this.#now();
    this.#release(this.#line, this.#reusable);
    this.#observer.onEnd(at);
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
    this.#observer.onFailure(at, cause, detail);
  }

  #now(): Instant {
    return this.#line.readAt ?? this.#clock.now();
  }
}

/** What every connection of a run has in common. */
export interface Base {
  /** The base address; requests' paths come below it. */
  readonly url: string;
  readonly wire: Wire;
  /** PEM certificates to trust beside the system's. */
  readonly certificates: string | null;
}

/** All lines to one target, idle ones last in, first out. */
class Lines {
  readonly #origin: string;
  readonly #http2: boolean;
  readonly #clock: Clock;
  readonly #connect: buildConnector.connector;
  readonly #idle: Line[] = [];
  readonly #all = new Set<Line>();

  constructor(base: Base, clock: Clock) {
    this.#origin = new URL(base.url).origin;
    this.#http2 = base.wire.http2;
    this.#clock = clock;
    this.#connect = connectorTo(base.url, base.wire, base.certificates);
  }

  /** The most recently used idle line, or a new one that connects at its first request. */
  take(): { readonly line: Line; readonly kept: boolean } {
    const kept = this.#idle.pop();
    if (kept === undefined) return { line: this.#open(), kept: false };
    kept.idle = false;
    return { line: kept, kept: true };
  }

  readonly release = (line: Line, reusable: boolean): void => {
    if (!reusable) return this.#discard(line);
    line.idle = true;
    this.#idle.push(line);
  };

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((line) => line.client.destroy().catch(() => undefined)));
  }

  #discard(line: Line): void {
    this.#all.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    // Destroying rejects nothing that we still listen to: the exchange has ended by now.
    void line.client.destroy().catch(() => undefined);
  }

  #open(): Line {
    const connect: buildConnector.connector = (options, callback) => {
      this.#connect(options, (...[error, socket]: [Error | null, Socket | null]) => {
        if (error !== null || socket === null) {
          return callback(error ?? new Error('no socket'), null);
        }
        const at = this.#clock.now();
        if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
          socket.prependListener('readable', () => {
            line.readAt = this.#clock.now();
          });
        }
        line.exchange?.connected(at, 'new');
        callback(null, socket);
      });
    };
    const client = new Client(this.#origin, { ...clientOptions, connect, allowH2: this.#http2 });
    const line: Line = { client, readAt: null, idle: false, exchange: null };
    // A kept-alive connection that the server closes while idle must not reconnect under our hands.
    client.on('disconnect', () => {
      if (line.idle) this.#discard(line);
    });
    this.#all.add(line);
    return line;
  }
}

/**
 * The general transport: undici's `Client.dispatch`, one client for each connection and one
 * exchange at a time on it, so that nothing ever waits unseen. Connections are kept alive and the
 * most recently used idle one is taken first. No deadlines, retries or redirects.
 */
export const undiciTransport = (base: Base, clock: Clock): Transport => {
  const lines = new Lines(base, clock);
  const prefix = new URL(base.url).pathname.replace(/\/$/, '');
  return {
    send: ({ method, path, headers, body }: WireRequest, observer: ExchangeObserver): Exchange => {
      const { line, kept } = lines.take();
      const exchange = new UndiciExchange(clock, line, observer, lines.release);
      line.exchange = exchange;
      if (kept) exchange.connected(clock.now(), 'reused');
      line.client.dispatch(
        { method, path: prefix + path, headers: { ...headers }, body },
        exchange,
      );
      return exchange;
    },
    close: () => lines.close(),
  };
};

import type { ClientHttp2Stream } from 'node:http2';
import { type buildConnector, Client, type Dispatcher } from 'undici';
import type { Clock } from '../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { Instant } from '../../model/quantity.ts';
import { type TargetEndpoint, type OpenConnection, connectorTo } from '../connection/connector.ts';
import { ObservedExchange, throwUncaught } from '../connection/observed-exchange.ts';
import { requestPathsOf } from '../connection/request-path.ts';
import { countReadBytes } from '../host/clean-heap.ts';
import { onNextStream, resetOf } from './http2-streams.ts';

/** How long idle connections are kept, in ms, unless the server's keep-alive hint says less. */
const keepAlive = 600_000;

/** Without undici's own timeouts: their default of 300 s would abort slow answers. */
const clientOptions = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: keepAlive,
  keepAliveMaxTimeout: keepAlive,
  pipelining: 1,
} as const;

/** One connection with its own undici client, since time queued inside a pool is invisible. */
interface UndiciConnection {
  readonly client: Client;
  /** The instant of the latest socket read; `null` before the first, and where reads are invisible (HTTP/2). */
  readAt: Instant | null;
  /** Whether a byte was received since the request was sent. */
  hasReceived: boolean;
  idle: boolean;
  exchange: UndiciExchange | null;
  /** Cancels an attempt to connect: destroying the client does not. */
  cancelConnect: () => void;
}

type DispatchController = Dispatcher.DispatchController;

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

/** Translates undici's callbacks into the port's. undici would swallow what an observer throws. */
class UndiciExchange extends ObservedExchange implements Dispatcher.DispatchHandler {
  readonly #pool: UndiciPool;
  readonly #connection: UndiciConnection;
  /** The stream of the latest attempt, by HTTP/2 only. */
  #stream: ClientHttp2Stream | null = null;
  #answered = false;
  #reusableFor = Number.POSITIVE_INFINITY;

  constructor(
    pool: UndiciPool,
    connection: UndiciConnection,
    observer: ExchangeObserver,
    onDefect: (error: unknown) => void,
  ) {
    super(pool.clock, observer, onDefect);
    this.#pool = pool;
    this.#connection = connection;
  }

  onRequestStart(controller: DispatchController): void {
    const reset = resetOf(this.#stream);
    if (reset !== null) this.abort('reset', reset);
    if (this.isFinished) return controller.abort(new Error('aborted'));
    if (this.#pool.http2) {
      onNextStream((stream) => {
        this.#stream = stream;
      });
    }
    this.#connection.readAt = null;
    this.#connection.hasReceived = false;
    this.sent(this.clock.now());
  }

  onResponseStart(
    _: DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    this.#answered = true;
    if (this.isFinished || status < 200) return;
    if (headers['connection'] === 'close') this.#reusableFor = 0;
    this.notify((observer) => observer.onHeaders(this.#now(), status, flatten(headers)));
  }

  onResponseData(_: DispatchController, chunk: Buffer): void {
    if (this.#pool.http2) countReadBytes(chunk.length);
    if (!this.isFinished) this.notify((observer) => observer.onChunk(this.#now(), chunk));
  }

  onResponseEnd(): void {
    const reset = resetOf(this.#stream);
    if (reset !== null) this.abort('reset', reset);
    this.complete(this.#now(), this.#reusableFor);
  }

  onResponseError(_: DispatchController, error: Error): void {
    this.fail(error, this.#answered || this.#connection.hasReceived);
  }

  protected override release(reusableFor: number): void {
    this.#pool.release(this.#connection, reusableFor > 0);
  }

  #now(): Instant {
    return this.#connection.readAt ?? this.clock.read();
  }
}

/** All connections to one target; idle ones are last in, first out. */
class UndiciPool {
  readonly #origin: string;
  readonly http2: boolean;
  readonly clock: Clock;
  readonly #connect: OpenConnection;
  readonly #idle: UndiciConnection[] = [];
  readonly #all = new Set<UndiciConnection>();

  constructor(endpoint: TargetEndpoint, clock: Clock) {
    this.#origin = new URL(endpoint.url).origin;
    this.http2 = endpoint.wire.http2;
    this.clock = clock;
    this.#connect = connectorTo(endpoint);
  }

  /** The most recently used idle connection, or a new one that connects at its first request. */
  take(): { readonly connection: UndiciConnection; readonly reused: boolean } {
    const reused = this.#idle.pop();
    if (reused === undefined) return { connection: this.#open(), reused: false };
    reused.idle = false;
    return { connection: reused, reused: true };
  }

  release(connection: UndiciConnection, reusable: boolean): void {
    if (!reusable) return this.#discard(connection);
    connection.idle = true;
    this.#idle.push(connection);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((connection) => this.#destroy(connection)));
  }

  #discard(connection: UndiciConnection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    void this.#destroy(connection);
  }

  /** Fails the connection's exchange if it has one. */
  async #destroy(connection: UndiciConnection): Promise<void> {
    const destroyed = connection.client.destroy().catch(() => undefined);
    // After the client: it must not mistake the cancelled attempt for a failed one and connect again.
    connection.cancelConnect();
    await destroyed;
  }

  #open(): UndiciConnection {
    const connect: buildConnector.connector = (options, callback) => {
      connection.exchange?.connecting();
      connection.cancelConnect = this.#connect(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        const at = this.clock.read();
        if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
          socket.prependListener('readable', () => {
            countReadBytes(socket.readableLength);
            connection.readAt = this.clock.read();
            // Also called at the end, without anything to read.
            if (socket.readableLength > 0) connection.hasReceived = true;
          });
        }
        connection.exchange?.connected(at, 'new');
        callback(null, socket);
      });
    };
    const connection: UndiciConnection = {
      client: new Client(this.#origin, { ...clientOptions, connect, allowH2: this.http2 }),
      readAt: null,
      hasReceived: false,
      idle: false,
      exchange: null,
      cancelConnect: () => undefined,
    };
    // undici must not reopen an idle connection that the server closed.
    connection.client.on('disconnect', () => {
      if (connection.idle) this.#discard(connection);
    });
    this.#all.add(connection);
    return connection;
  }
}

/**
 * The general transport: undici's `Client.dispatch`, one client for each connection and one
 * exchange at a time on it, so that no request waits in a hidden queue. Connections are kept alive and the
 * most recently used idle one is taken first. A client connects at its first request, so nothing is
 * connected ahead. No timeouts, retries or redirects. What an observer
 * throws ends its exchange and goes to `onDefect`.
 */
export const undiciTransport = (
  endpoint: TargetEndpoint,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const pool = new UndiciPool(endpoint, clock);
  const pathFor = requestPathsOf(endpoint.url);
  return {
    send: ({ method, path, headers, body }: WireRequest, observer: ExchangeObserver): Exchange => {
      const { connection, reused } = pool.take();
      const exchange = new UndiciExchange(pool, connection, observer, onDefect);
      connection.exchange = exchange;
      if (reused) exchange.connected(clock.now(), 'reused');
      connection.client.dispatch(
        { method, path: pathFor(path), headers: { ...headers }, body },
        exchange,
      );
      return exchange;
    },
    connectAhead: () => undefined,
    close: () => pool.close(),
  };
};

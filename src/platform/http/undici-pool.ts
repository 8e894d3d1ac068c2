import { type buildConnector, Client } from 'undici';
import type { Clock } from '../../model/clock.ts';
import { type TargetEndpoint, type OpenConnection, connectorTo } from '../connection/connector.ts';
import type { UndiciExchange, ReadMonitor } from './undici-exchange.ts';

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
export interface UndiciConnection extends ReadMonitor {
  readonly client: Client;
  idle: boolean;
  exchange: UndiciExchange | null;
  /** Cancels an attempt to connect: destroying the client does not. */
  cancelConnect: () => void;
}

/** All connections to one target; idle ones are last in, first out. */
export class UndiciPool {
  readonly #origin: string;
  readonly #http2: boolean;
  readonly #clock: Clock;
  readonly #connect: OpenConnection;
  readonly #idle: UndiciConnection[] = [];
  readonly #all = new Set<UndiciConnection>();

  constructor(endpoint: TargetEndpoint, clock: Clock) {
    this.#origin = new URL(endpoint.url).origin;
    this.#http2 = endpoint.wire.http2;
    this.#clock = clock;
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

  /** Connects for undici and notifies the connection's exchange. */
  #connector(connection: () => UndiciConnection): buildConnector.connector {
    return (options, callback) => {
      const opened = connection();
      opened.exchange?.connecting();
      opened.cancelConnect = this.#connect(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        const at = this.#clock.now();
        if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
          socket.prependListener('readable', () => {
            opened.readAt = this.#clock.now();
            // Also called at the end, without anything to read.
            if (socket.readableLength > 0) opened.hasReceived = true;
          });
        }
        opened.exchange?.connected(at, 'new');
        callback(null, socket);
      });
    };
  }

  #open(): UndiciConnection {
    const connect = this.#connector(() => connection);
    const connection: UndiciConnection = {
      client: new Client(this.#origin, { ...clientOptions, connect, allowH2: this.#http2 }),
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

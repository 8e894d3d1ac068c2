import type { Socket } from 'node:net';
import { type buildConnector, Client } from 'undici';
import type { Clock } from '../model/clock.ts';
import type { Exchange, ExchangeObserver, Transport, WireRequest } from '../model/exchange.ts';
import type { Wire } from '../model/plan.ts';
import { type Connector, connectorTo } from './connector.ts';
import { type Line, UndiciExchange } from './undici-exchange.ts';

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

/** What every connection of a run has in common. */
export interface Base {
  /** The base address; requests' paths come below it. */
  readonly url: string;
  readonly wire: Wire;
  /** PEM certificates to trust beside the system's. */
  readonly certificates: string | null;
}

/** Ends a line at once. Nothing that it rejects is still listened to: its exchange has ended by then. */
const destroy = async ({ client, connecting }: Line): Promise<void> => {
  connecting?.destroy();
  await client.destroy().catch(() => undefined);
};

/** All lines to one target, idle ones last in, first out. */
class Lines {
  readonly #origin: string;
  readonly #http2: boolean;
  readonly #clock: Clock;
  readonly #connect: Connector;
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
    await Promise.all([...this.#all].map(destroy));
  }

  #discard(line: Line): void {
    this.#all.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    void destroy(line);
  }

  #open(): Line {
    const connect: buildConnector.connector = (options, callback) => {
      line.connecting = this.#connect(
        options,
        (...[error, socket]: [Error | null, Socket | null]) => {
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
        },
      );
    };
    const client = new Client(this.#origin, { ...clientOptions, connect, allowH2: this.#http2 });
    const line: Line = { client, readAt: null, idle: false, exchange: null, connecting: null };
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

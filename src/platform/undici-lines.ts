import { type buildConnector, Client } from 'undici';
import type { Clock } from '../model/clock.ts';
import { type Base, type Connect, connectorTo } from './connector.ts';
import type { UndiciExchange, Wiretap } from './undici-exchange.ts';

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
export interface Line extends Wiretap {
  readonly client: Client;
  idle: boolean;
  exchange: UndiciExchange | null;
  /** Ends an attempt to connect that is under way: destroying the client does not. */
  giveUp: () => void;
}

/** All lines to one target, idle ones last in, first out. */
export class Lines {
  readonly #origin: string;
  readonly #http2: boolean;
  readonly #clock: Clock;
  readonly #connect: Connect;
  readonly #idle: Line[] = [];
  readonly #all = new Set<Line>();

  constructor(base: Base, clock: Clock) {
    this.#origin = new URL(base.url).origin;
    this.#http2 = base.wire.http2;
    this.#clock = clock;
    this.#connect = connectorTo(base);
  }

  /** The most recently used idle line, or a new one that connects at its first request. */
  take(): { readonly line: Line; readonly kept: boolean } {
    const kept = this.#idle.pop();
    if (kept === undefined) return { line: this.#open(), kept: false };
    kept.idle = false;
    return { line: kept, kept: true };
  }

  release(line: Line, reusable: boolean): void {
    if (!reusable) return this.#discard(line);
    line.idle = true;
    this.#idle.push(line);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#all].map((line) => this.#destroy(line)));
  }

  #discard(line: Line): void {
    this.#all.delete(line);
    const at = this.#idle.indexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    void this.#destroy(line);
  }

  /** Fails the line's exchange if it has one. */
  async #destroy(line: Line): Promise<void> {
    const destroyed = line.client.destroy().catch(() => undefined);
    // After the client: it must not take the given-up attempt for a failed one and connect again.
    line.giveUp();
    await destroyed;
  }

  /** Connects as undici asks for it, telling the line's exchange. */
  #connector(line: () => Line): buildConnector.connector {
    return (options, callback) => {
      const opened = line();
      opened.exchange?.connecting();
      opened.giveUp = this.#connect(options, (...[error, socket]) => {
        if (error !== null) return callback(error, null);
        const at = this.#clock.now();
        if (!('alpnProtocol' in socket) || socket.alpnProtocol !== 'h2') {
          socket.prependListener('readable', () => {
            opened.readAt = this.#clock.now();
            // Also called at the end, when there is nothing to read.
            if (socket.readableLength > 0) opened.heard = true;
          });
        }
        opened.exchange?.connected(at, 'new');
        callback(null, socket);
      });
    };
  }

  #open(): Line {
    const connect = this.#connector(() => line);
    const line: Line = {
      client: new Client(this.#origin, { ...clientOptions, connect, allowH2: this.#http2 }),
      readAt: null,
      heard: false,
      idle: false,
      exchange: null,
      giveUp: () => undefined,
    };
    // A kept-alive connection that the server closes while idle must not reconnect under our hands.
    line.client.on('disconnect', () => {
      if (line.idle) this.#discard(line);
    });
    this.#all.add(line);
    return line;
  }
}

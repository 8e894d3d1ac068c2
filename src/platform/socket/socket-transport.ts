import type { Clock } from '../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { TargetEndpoint } from '../connection/connector.ts';
import { throwUncaught } from '../connection/observed-exchange.ts';
import { AheadConnections } from './ahead-connections.ts';
import { HttpFault } from './head-section.ts';
import { type OpenSocket, socketOpener } from './open-socket.ts';
import { requestPathsOf } from '../connection/request-path.ts';
import { RequestHeadWriter } from './request-head.ts';
import { RequestWriter } from './request-writer.ts';
import {
  type ConnectionContext,
  type OutgoingRequest,
  SocketConnection,
  SocketExchange,
} from './socket-connection.ts';

/** All connections to one target; idle ones are last in, first out, before those that were opened ahead. */
class SocketPool implements ConnectionContext {
  readonly clock: Clock;
  readonly open: OpenSocket;
  readonly writer = new RequestWriter();
  readonly #idle: SocketConnection[] = [];
  readonly #all = new Set<SocketConnection>();
  readonly #ahead: AheadConnections;
  #closed = false;
  #allGone: () => void = () => undefined;

  constructor(open: OpenSocket, clock: Clock) {
    this.open = open;
    this.clock = clock;
    this.#ahead = new AheadConnections(clock, () => this.#add(null));
  }

  connectAhead(count: number): void {
    const now = this.clock.now();
    let missing = this.#closed ? 0 : count;
    for (const connection of this.#idle) if (connection.idleUntil > now) missing -= 1;
    this.#ahead.want(missing);
  }

  /** Sends on the most recently used idle connection, on one that was opened ahead, or on a new one. */
  send(outgoing: OutgoingRequest): void {
    if (this.#closed) return outgoing.exchange.abort('aborted', 'the transport is closed');
    const now = this.clock.now();
    for (
      let connection = this.#idle.pop();
      connection !== undefined;
      connection = this.#idle.pop()
    ) {
      if (connection.isOpen && connection.idleUntil > now) return connection.begin(outgoing, now);
      connection.destroy();
    }
    const ahead = this.#ahead.take(now);
    if (ahead === null) this.#add(outgoing);
    else ahead.begin(outgoing, now);
  }

  /** Destroys all connections and waits until they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ahead.want(0);
    if (this.#all.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allGone = resolve;
    for (const connection of this.#all) connection.close();
    await promise;
  }

  onIdle(connection: SocketConnection): void {
    this.#idle.push(connection);
    this.#ahead.onSuccess();
  }

  onOpenedAhead(connection: SocketConnection): void {
    this.#ahead.onOpened(connection);
  }

  discard(connection: SocketConnection): void {
    const at = this.#idle.lastIndexOf(connection);
    if (at >= 0) this.#idle.splice(at, 1);
    this.#ahead.onLost(connection);
    connection.destroy();
  }

  onClosed(connection: SocketConnection): void {
    this.#ahead.onLost(connection);
    this.#all.delete(connection);
    if (this.#all.size === 0) this.#allGone();
  }

  #add(outgoing: OutgoingRequest | null): SocketConnection {
    const connection = new SocketConnection(this, outgoing);
    this.#all.add(connection);
    return connection;
  }
}

/**
 * The exact transport: our own HTTP/1.1 on `net` and `tls`; all reads use one buffer. One
 * exchange at a time on a connection; connections are kept alive and the most recently used idle one
 * is taken first. No timeouts, retries or redirects, and no HTTP/2. What an observer throws ends its
 * exchange and goes to `onDefect`.
 */
export const socketTransport = (
  endpoint: TargetEndpoint,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const { host } = new URL(endpoint.url);
  const pool = new SocketPool(socketOpener(endpoint), clock);
  const heads = new RequestHeadWriter(host, requestPathsOf(endpoint.url));
  return {
    send: (request: WireRequest, observer: ExchangeObserver): Exchange => {
      const exchange = new SocketExchange(clock, observer, onDefect);
      const head = heads.write(request);
      if (head instanceof HttpFault) exchange.abort(head.cause, head.detail);
      else pool.send({ exchange, head: head.text, body: request.body, closes: head.closes });
      return exchange;
    },
    connectAhead: (count) => pool.connectAhead(count),
    close: () => pool.close(),
  };
};

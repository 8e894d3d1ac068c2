import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { Instant } from '../../model/quantity.ts';
import type { TargetEndpoint } from '../connection/connector.ts';
import { KeptConnections } from '../connection/kept-connections.ts';
import { throwUncaught } from '../connection/observed-exchange.ts';
import { ReuseRule } from '../connection/reuse-rule.ts';
import type { RunClock } from '../host/clock.ts';
import { AheadConnections } from './ahead-connections.ts';
import { HttpFault } from './head-section.ts';
import { type OpenSocket, socketOpener } from './open-socket.ts';
import { requestPathsOf, targetAddress } from '../connection/request-path.ts';
import { ReadQueue } from './read-queue.ts';
import { RequestHeadWriter } from './request-head.ts';
import { RequestWriter } from './request-writer.ts';
import {
  type ConnectionContext,
  type OutgoingRequest,
  SocketConnection,
} from './socket-connection.ts';
import { SocketExchange } from './socket-exchange.ts';

/** All connections to one target. */
class SocketPool implements ConnectionContext {
  readonly clock: RunClock;
  readonly open: OpenSocket;
  readonly writer = new RequestWriter();
  readonly reads: ReadQueue;
  readonly #rule: ReuseRule;
  readonly #kept: KeptConnections<SocketConnection>;
  readonly #all = new Set<SocketConnection>();
  readonly #ahead: AheadConnections;
  #closed = false;
  #allGone: () => void = () => undefined;

  constructor(endpoint: TargetEndpoint, clock: RunClock) {
    this.open = socketOpener(endpoint);
    this.clock = clock;
    this.reads = new ReadQueue(clock);
    this.#rule = new ReuseRule(endpoint.wire);
    this.#kept = new KeptConnections(this.#rule, clock);
    this.#ahead = new AheadConnections(clock, () => this.#add(null));
  }

  get notes(): readonly string[] {
    return this.#rule.notes;
  }

  connectAhead(count: number): void {
    const missing = this.#closed ? 0 : count - this.#kept.countUsable(this.clock.now());
    this.#ahead.want(missing);
  }

  /** Sends on the most recently used idle connection, else on one that rests, as soon as it may be used, on one that was opened ahead, or on a new one. */
  send(outgoing: OutgoingRequest): void {
    if (this.#closed) return outgoing.exchange.abort('aborted', 'the transport is closed');
    const now = this.clock.now();
    const kept = this.#kept.take(now);
    if (kept !== null) return kept.begin(outgoing, now);
    if (this.#kept.awaitRested((rested) => this.#sendRested(rested, outgoing))) return;
    const ahead = this.#ahead.take(now);
    if (ahead === null) this.#add(outgoing);
    else ahead.begin(outgoing, now);
  }

  /** Destroys all connections and waits until they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#ahead.want(0);
    this.#kept.close();
    if (this.#all.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allGone = resolve;
    for (const connection of this.#all) connection.close();
    await promise;
  }

  onIdle(connection: SocketConnection): void {
    this.#kept.keep(connection);
    this.#ahead.onSuccess();
  }

  onReused(connection: SocketConnection): void {
    this.#rule.onReused(connection);
  }

  onOpenedAhead(connection: SocketConnection): void {
    this.#ahead.onOpened(connection);
  }

  onEnded(connection: SocketConnection, at: Instant): void {
    this.#kept.onEnded(connection, at);
    this.#ahead.onLost(connection);
  }

  resend(outgoing: OutgoingRequest): void {
    if (this.#closed) outgoing.exchange.abort('aborted', 'the transport is closed');
    else this.#add(outgoing);
  }

  onClosed(connection: SocketConnection): void {
    this.#ahead.onLost(connection);
    this.#kept.forget(connection);
    this.#all.delete(connection);
    if (this.#all.size === 0) this.#allGone();
  }

  /** What has been aborted meanwhile leaves its connection to others. */
  #sendRested(rested: SocketConnection | null, outgoing: OutgoingRequest): void {
    const now = this.clock.now();
    if (outgoing.exchange.isFinished) {
      if (rested !== null) this.#kept.keep(rested);
    } else if (rested === null) {
      this.send(outgoing);
    } else {
      rested.begin(outgoing, now);
    }
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
 * is taken first. A request that the server cannot have read, since it had closed the kept connection, goes once more on a new one. No
 * timeouts, retries or redirects, and no HTTP/2. What an observer throws ends its exchange and goes to `onDefect`.
 */
export const socketTransport = (
  endpoint: TargetEndpoint,
  clock: RunClock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => {
  const { host } = targetAddress(endpoint.url).url;
  const pool = new SocketPool(endpoint, clock);
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
    notes: () => pool.notes,
    close: () => pool.close(),
  };
};

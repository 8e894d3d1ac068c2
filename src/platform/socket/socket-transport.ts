import type { Clock } from '../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { TargetEndpoint } from '../connection/connector.ts';
import { KeptConnections } from '../connection/kept-connections.ts';
import { throwUncaught } from '../connection/observed-exchange.ts';
import { requestPathsOf, targetAddress } from '../connection/request-path.ts';
import { ReuseRule } from '../connection/reuse-rule.ts';
import type { RunClock } from '../host/clock.ts';
import { type OpenSocket, socketOpener } from './open-socket.ts';
import { ReadQueue } from './read-queue.ts';
import { RequestHeadWriter, RequestWriter } from './request-head.ts';
import { HttpFault } from './response-head.ts';
import {
  type ConnectionContext,
  type OutgoingRequest,
  SocketConnection,
  SocketExchange,
} from './socket-connection.ts';

/**
 * One turn of the event loop opens connections for at most this long, in ms. Data that has arrived is read before the
 * next turn opens more connections.
 */
const longestTurn = 1;
/**
 * A connection that was opened in advance stays usable for this long, in ms. Few servers close an unused connection
 * sooner.
 */
const unusedFor = 2000;

/** The maximum time for a connection to open in advance, in ms. A connection that takes longer is dropped. */
const longestOpening = 1000;
/**
 * After a first failure, no connection is opened in advance for this long, in ms. The pause doubles with each further
 * failure.
 */
const firstPause = 1000;

/** Connections that are opened before their requests are due. */
export class AheadConnections {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #open: () => SocketConnection;
  /** The connections that are being opened, each with the instant at which opening began. */
  readonly #opening = new Map<SocketConnection, Instant>();
  readonly #ready = new Set<SocketConnection>();
  #wanted = 0;
  #isTurnSet = false;
  /**
   * Whether a connection that was opened in advance has failed. To spare a failing target, no more connections are
   * opened in advance until a request has succeeded and `#pausedUntil` has passed.
   */
  #hasFailed = false;
  /**
   * The instant until which no connection is opened in advance. The initial value is negative infinity, since the
   * instants before a run are negative.
   */
  #pausedUntil = instant(Number.NEGATIVE_INFINITY);
  #nextPause = firstPause;

  constructor(clock: Pick<Clock, 'now'>, open: () => SocketConnection) {
    this.#clock = clock;
    this.#open = open;
  }

  /**
   * Opens connections until `count` connections are ready or being opened. Each turn of the event loop opens
   * connections for at most a millisecond.
   */
  want(count: number): void {
    const now = this.#clock.now();
    for (const connection of this.#ready) if (connection.idleUntil <= now) connection.destroy();
    this.#dropHanging(now);
    this.#wanted = count;
    if (!this.#isTurnSet) this.#openSome();
  }

  /**
   * Returns the oldest ready connection. If no connection is ready, returns the oldest connection that is being opened.
   * The oldest connection comes first, since a server that handles one connection at a time accepts it first.
   */
  take(now: Instant): SocketConnection | null {
    for (const connection of this.#ready) {
      this.#ready.delete(connection);
      if (connection.isOpen && connection.idleUntil > now) return this.#taken(connection);
      connection.destroy();
    }
    this.#dropHanging(now);
    const opening = this.#opening.keys().next().value;
    if (opening === undefined) return null;
    this.#opening.delete(opening);
    return this.#taken(opening);
  }

  /** Called when a connection is open and no request has taken the connection. */
  onOpened(connection: SocketConnection): void {
    connection.idleUntil = instant(this.#clock.now() + unusedFor);
    this.#opening.delete(connection);
    this.#ready.add(connection);
  }

  /** Called when a connection, opened in advance or not, is closed or no longer usable. */
  onLost(connection: SocketConnection): void {
    const wasReady = this.#ready.delete(connection);
    const isExpired = wasReady && connection.idleUntil <= this.#clock.now();
    if ((wasReady || this.#opening.delete(connection)) && !isExpired) this.#onFailure();
  }

  onSuccess(): void {
    this.#hasFailed = false;
  }

  #onFailure(): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#pausedUntil = instant(this.#clock.now() + this.#nextPause);
    this.#nextPause *= 2;
  }

  /**
   * Drops connections whose handshake gets no answer. A missing answer does not count as a failure of the target, since
   * packets can get lost in a burst.
   */
  #dropHanging(now: Instant): void {
    for (const [connection, since] of this.#opening) {
      if (now - since <= longestOpening) return;
      this.#opening.delete(connection);
      connection.destroy();
    }
  }

  #taken(connection: SocketConnection): SocketConnection {
    this.#wanted -= 1;
    return connection;
  }

  #openSome(): void {
    const now = this.#clock.now();
    if (now < this.#pausedUntil) return;
    while (!this.#hasFailed && this.#opening.size + this.#ready.size < this.#wanted) {
      this.#opening.set(this.#open(), now);
      if (this.#clock.now() < now + longestTurn) continue;
      this.#isTurnSet = true;
      setImmediate(this.#onTurn);
      return;
    }
  }

  readonly #onTurn = (): void => {
    this.#isTurnSet = false;
    this.#openSome();
  };
}

/**
 * The exact transport: Weir's own HTTP/1.1 on `net` and `tls`, with one buffer for all reads. A connection has one
 * exchange at a time. Connections are kept alive, and a request takes the idle connection that was used last. If the
 * server had closed a kept connection and cannot have read the request, the transport sends the request again on a new
 * connection. There are no timeouts, retries or redirects, and no HTTP/2. An error that an observer throws ends its
 * exchange and goes to `onDefect`.
 */
class SocketTransport implements Transport, ConnectionContext {
  readonly clock: RunClock;
  readonly open: OpenSocket;
  readonly writer = new RequestWriter();
  readonly reads: ReadQueue;
  readonly #onDefect: (error: unknown) => void;
  readonly #heads: RequestHeadWriter;
  readonly #rule: ReuseRule;
  readonly #kept: KeptConnections<SocketConnection>;
  readonly #all = new Set<SocketConnection>();
  readonly #ahead: AheadConnections;
  #closed = false;
  #allGone: () => void = () => undefined;

  constructor(endpoint: TargetEndpoint, clock: RunClock, onDefect: (error: unknown) => void) {
    const { host } = targetAddress(endpoint.url).url;
    this.open = socketOpener(endpoint);
    this.#onDefect = onDefect;
    this.#heads = new RequestHeadWriter(host, requestPathsOf(endpoint.url, endpoint.wire.paths));
    this.clock = clock;
    this.reads = new ReadQueue(clock);
    this.#rule = new ReuseRule(endpoint.wire);
    this.#kept = new KeptConnections(this.#rule, clock);
    this.#ahead = new AheadConnections(clock, () => this.#add(null));
  }

  notes(): readonly string[] {
    return this.#rule.notes;
  }

  connectAhead(count: number): void {
    const missing = this.#closed ? 0 : count - this.#kept.countUsable(this.clock.now());
    this.#ahead.want(missing);
  }

  send(request: WireRequest, observer: ExchangeObserver): Exchange {
    const exchange = new SocketExchange(this.clock, observer, this.#onDefect);
    const head = this.#heads.write(request);
    if (head instanceof HttpFault) exchange.abort(head.cause, head.detail);
    else this.#send({ exchange, head: head.text, body: request.body, closes: head.closes });
    return exchange;
  }

  /**
   * Sends a request on the idle connection that was used last. If no connection is idle, the request waits for a
   * resting connection. If no connection rests, the request takes a connection that was opened in advance, or opens a
   * new connection.
   */
  #send(outgoing: OutgoingRequest): void {
    if (this.#closed) return outgoing.exchange.abort('aborted', 'the transport is closed');
    const now = this.clock.now();
    const kept = this.#kept.take(now);
    if (kept !== null) return kept.begin(outgoing, now);
    const isAwaited = this.#kept.awaitRested(outgoing.exchange, (rested) => {
      if (rested === null) this.#send(outgoing);
      else rested.begin(outgoing, this.clock.now());
    });
    if (isAwaited) return;
    const ahead = this.#ahead.take(now);
    if (ahead === null) this.#add(outgoing);
    else ahead.begin(outgoing, now);
  }

  /** Destroys all connections and waits until all connections are closed. */
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
    this.#rule.endsOf(connection).onReused(connection.answers);
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

  #add(outgoing: OutgoingRequest | null): SocketConnection {
    const connection = new SocketConnection(this, outgoing);
    this.#all.add(connection);
    return connection;
  }
}

export const socketTransport = (
  endpoint: TargetEndpoint,
  clock: RunClock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => new SocketTransport(endpoint, clock, onDefect);

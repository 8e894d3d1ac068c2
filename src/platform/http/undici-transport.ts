import { subscribe } from 'node:diagnostics_channel';
import type { ClientHttp2Stream } from 'node:http2';
import type { Dispatcher } from 'undici';
import type { Clock } from '../../model/clock.ts';
import type {
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../../model/observation/exchange.ts';
import type { Instant } from '../../model/quantity.ts';
import { type OpenConnection, type TargetEndpoint, connectorTo } from '../connection/connector.ts';
import { KeptConnections } from '../connection/kept-connections.ts';
import { ObservedExchange, throwUncaught } from '../connection/observed-exchange.ts';
import { cutShort } from '../connection/refused-request.ts';
import { requestPathsOf, targetAddress } from '../connection/request-path.ts';
import { ReuseRule } from '../connection/reuse-rule.ts';
import { countReadBytes } from '../host/clean-heap.ts';
import { keepAliveFor, maxAnswersOf } from '../socket/response-head.ts';
import { UndiciConnection, type UndiciContext } from './undici-connection.ts';

/**
 * This file observes HTTP/2 streams below undici, since undici hides how streams end. undici silently sends a refused
 * request again, and treats a stream that is reset halfway as a complete answer. Node publishes each new stream on a
 * diagnostics channel. undici opens the stream of a request right after it has called `onRequestStart`, in the same
 * turn of the event loop. The next published stream is therefore the stream of this request.
 */

type StreamListener = (stream: ClientHttp2Stream) => void;

let nextStream: StreamListener | null = null;
let isSubscribed = false;

/** Calls `listener` with the next stream that Node publishes. A later listener replaces an earlier one. */
const onNextStream = (listener: StreamListener): void => {
  if (!isSubscribed) {
    isSubscribed = true;
    subscribe('http2.client.stream.created', (message) => {
      nextStream?.((message as { readonly stream: ClientHttp2Stream }).stream);
      nextStream = null;
    });
  }
  nextStream = listener;
};

/**
 * Describes in a few words how the server reset a stream (RFC 9113, section 7); returns `null` if the server did not
 * reset the stream.
 */
const resetOf = (stream: ClientHttp2Stream | null): string | null => {
  const code = stream?.rstCode ?? 0;
  if (code === 0) return null;
  return code === 7 ? 'the server refused the stream' : `the server reset the stream, code ${code}`;
};

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>) => {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat[name] = Array.isArray(value) ? value.join(', ') : value;
  }
  return flat;
};

/**
 * Translates undici's callbacks into calls of the exchange's observer. The class also passes on errors that an observer
 * throws, which undici would ignore.
 */
class UndiciExchange extends ObservedExchange implements Dispatcher.DispatchHandler {
  readonly #transport: UndiciTransport;
  readonly #request: Dispatcher.DispatchOptions;
  #connection: UndiciConnection | null = null;
  /** The HTTP/2 stream of the latest attempt; `null` under HTTP/1.1. */
  #stream: ClientHttp2Stream | null = null;
  #answered = false;
  #reusableFor = Number.POSITIVE_INFINITY;
  #maxAnswers = Number.POSITIVE_INFINITY;
  #isChunked = false;

  constructor(
    transport: UndiciTransport,
    request: Dispatcher.DispatchOptions,
    observer: ExchangeObserver,
    onDefect: (error: unknown) => void,
  ) {
    super(transport.clock, observer, onDefect);
    this.#transport = transport;
    this.#request = request;
  }

  /** Sends the request on a connection. A new connection opens when the request is sent. */
  begin(connection: UndiciConnection): void {
    this.#connection = connection;
    connection.assign(this);
    if (connection.answers > 0) this.connected(this.clock.now(), 'reused');
    if (!this.isFinished) connection.client.dispatch(this.#request, this);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const reset = resetOf(this.#stream);
    if (reset !== null) this.abort('reset', reset);
    if (this.isFinished) return controller.abort(new Error('aborted'));
    if (this.#transport.http2) {
      onNextStream((stream) => {
        this.#stream = stream;
      });
    }
    if (this.#connection !== null) {
      this.#connection.readAt = null;
      this.#connection.hasReceived = false;
    }
    this.sent(this.clock.now());
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ): void {
    if (!this.#answered && this.#connection !== null) this.#transport.onAnswering(this.#connection);
    this.#answered = true;
    if (this.isFinished || status < 200) return;
    const fields = flatten(headers);
    const hint = fields['keep-alive'] ?? '';
    this.#reusableFor = fields['connection'] === 'close' ? 0 : keepAliveFor(hint);
    this.#maxAnswers = maxAnswersOf(hint);
    this.#isChunked = 'transfer-encoding' in fields;
    this.notify((observer) => observer.onHeaders(this.#now(), status, fields));
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#transport.http2) countReadBytes(chunk.length);
    if (!this.isFinished) this.notify((observer) => observer.onChunk(this.#now(), chunk));
  }

  onResponseEnd(): void {
    const reset = resetOf(this.#stream);
    if (reset !== null) this.abort('reset', reset);
    this.complete(this.#now(), this.#reusableFor);
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    const hasResponse = this.#answered || this.#connection?.hasReceived === true;
    this.fail(this.#connection?.isCutShort === true ? cutShort() : error, hasResponse);
  }

  hasUnwritten(): boolean {
    return this.#connection?.hasUnwritten === true;
  }

  /**
   * Returns `false` under HTTP/2, where a frame that cannot be written may belong to another request on the same
   * connection.
   */
  override mayMove(hasResponse: boolean): boolean {
    return !this.#transport.http2 && super.mayMove(hasResponse);
  }

  protected override release(reusableFor: number): void {
    const connection = this.#connection;
    this.#connection = null;
    if (connection === null) return;
    connection.answered(reusableFor, this.#maxAnswers, this.#isChunked);
    this.#transport.release(connection);
  }

  protected override resend(): void {
    const closed = this.#connection;
    this.#connection = null;
    this.#transport.resend(this, closed);
  }

  #now(): Instant {
    return this.#connection?.readAt ?? this.clock.read();
  }
}

/**
 * The general transport, which uses undici's `Client.dispatch`. Each connection has its own client and one exchange at
 * a time, so no request waits in a hidden queue. Connections are kept alive, and a request takes the idle connection
 * that was used last. A client connects at its first request, so no connection is opened in advance. If the server had
 * closed a kept connection and cannot have read the request, the transport sends the request again on a new connection
 * (HTTP/1.1 only). There are no timeouts, retries or redirects. An error that an observer throws ends its exchange and
 * goes to `onDefect`.
 */
class UndiciTransport implements Transport, UndiciContext {
  readonly origin: string;
  readonly http2: boolean;
  readonly clock: Clock;
  readonly connect: OpenConnection;
  readonly #onDefect: (error: unknown) => void;
  readonly #pathFor: (path: string) => string;
  readonly #rule: ReuseRule;
  readonly #kept: KeptConnections<UndiciConnection>;
  readonly #all = new Set<UndiciConnection>();
  #closed = false;

  constructor(endpoint: TargetEndpoint, clock: Clock, onDefect: (error: unknown) => void) {
    this.#onDefect = onDefect;
    this.#pathFor = requestPathsOf(endpoint.url, endpoint.wire.paths);
    this.origin = targetAddress(endpoint.url).url.origin;
    this.http2 = endpoint.wire.http2;
    this.clock = clock;
    this.connect = connectorTo(endpoint);
    this.#rule = new ReuseRule(endpoint.wire);
    this.#kept = new KeptConnections(this.#rule, clock);
  }

  notes(): readonly string[] {
    return this.#rule.notes;
  }

  connectAhead(): void {}

  send({ method, path, headers, body }: WireRequest, observer: ExchangeObserver): Exchange {
    const request = { method, path: this.#pathFor(path), headers: { ...headers }, body };
    const exchange = new UndiciExchange(this, request, observer, this.#onDefect);
    this.#send(exchange);
    return exchange;
  }

  /**
   * Sends the request on the idle connection that was used last. If no connection is idle, waits for a resting
   * connection. If no connection rests, uses a new connection, which connects at this request.
   */
  #send(exchange: UndiciExchange): void {
    if (this.#closed) return exchange.abort('aborted', 'the transport is closed');
    const kept = this.#kept.take(this.clock.now());
    if (kept !== null) return exchange.begin(kept);
    const isAwaited = this.#kept.awaitRested(exchange, (rested) => {
      if (rested === null) this.#send(exchange);
      else exchange.begin(rested);
    });
    if (!isAwaited) exchange.begin(this.#open());
  }

  onAnswering(connection: UndiciConnection): void {
    if (connection.answers > 0) this.#rule.endsOf(connection).onReused(connection.answers);
  }

  onEnded(connection: UndiciConnection, at: Instant): void {
    this.#kept.onEnded(connection, at);
  }

  onClosed(connection: UndiciConnection): void {
    this.#discard(connection);
  }

  resend(exchange: UndiciExchange, closed: UndiciConnection | null): void {
    if (closed !== null) this.#discard(closed);
    if (this.#closed) exchange.abort('aborted', 'the transport is closed');
    else exchange.begin(this.#open());
  }

  release(connection: UndiciConnection): void {
    if (connection.idleUntil <= connection.answeredAt) this.#discard(connection);
    else this.#kept.keep(connection);
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#kept.close();
    await Promise.all([...this.#all].map((connection) => connection.close()));
  }

  #discard(connection: UndiciConnection): void {
    this.#all.delete(connection);
    this.#kept.forget(connection);
    connection.destroy();
  }

  #open(): UndiciConnection {
    const connection = new UndiciConnection(this);
    this.#all.add(connection);
    return connection;
  }
}

export const undiciTransport = (
  endpoint: TargetEndpoint,
  clock: Clock,
  onDefect: (error: unknown) => void = throwUncaught,
): Transport => new UndiciTransport(endpoint, clock, onDefect);

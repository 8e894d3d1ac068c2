import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Client } from 'autocannon';
import type {
  BrokenCause,
  ConnectionOrigin,
  Exchange,
  ExchangeObserver,
} from '../../model/observation/exchange.ts';
import { countReadBytes } from '../host/clean-heap.ts';
import { throwUncaught } from '../connection/observed-exchange.ts';
import { ResponseParser } from '../socket/response-parser.ts';
import { SocketExchange } from '../socket/socket-connection.ts';
import { ObservedSocket, type SaturatingContext } from './autocannon-socket.ts';

/** The name of autocannon's method that opens `conn` and sends the first request over `conn`. */
const connect = '_connect';
/** The name of autocannon's method that writes the next request. */
const sendNext = '_doRequest';

/** The part of autocannon's undocumented client that Weir uses, as in the pinned version. */
export interface AutocannonConnection extends EventEmitter {
  conn: Socket;
  /** The client ends after this many requests. */
  responseMax: number | undefined;
  readonly reqsMade: number;
  readonly destroyed: boolean;
  /** The parser of autocannon. Weir replaces this parser, so the parser's callbacks are never called. */
  parser: { execute(bytes: Buffer): void };
  /** The requests in flight, which autocannon counts for its own statistics. */
  pipelinedRequests: Readonly<Record<'insertRequest' | 'addByteCount' | 'clear', () => void>>;
  readonly opts: { readonly protocol: string; readonly hostname: string; readonly port: number };
  setRequests: Client['setRequests'];
  destroy(): void;
  /** The bytes of the request that is sent next. */
  getRequestBuffer(): Buffer;
  [connect](): void;
  [sendNext](): void;
}

/** These methods do nothing, so autocannon does not store statistics that Weir would not use. */
const noFigures: AutocannonConnection['pipelinedRequests'] = {
  insertRequest: () => undefined,
  addByteCount: () => undefined,
  clear: () => undefined,
};

type BeginExchange = (request: number, exchange: Exchange) => ExchangeObserver;

export class ObservedConnection {
  readonly #client: AutocannonConnection;
  readonly #context: SaturatingContext;
  readonly #begin: BeginExchange;
  readonly #requests: number;
  #requestsBegun = 0;
  /** The socket that was opened last. `#isUnused` says whether no request has begun on this socket. */
  #socket: ObservedSocket | null = null;
  #isUnused = false;
  #inFlight: SocketExchange | null = null;
  #parser = new ResponseParser();
  /** Whether Weir can no longer know to which request an answer on this connection belongs. */
  #isUnusable = false;
  #isStopping = false;

  constructor(
    client: AutocannonConnection,
    context: SaturatingContext,
    requests: number,
    begin: BeginExchange,
  ) {
    this.#client = client;
    this.#context = context;
    this.#requests = requests;
    this.#begin = begin;
    client.parser = { execute: (bytes) => this.#read(bytes, bytes.length) };
    client.pipelinedRequests = noFigures;
    client[connect] = () => {
      this.#openSocket();
      client[sendNext]();
    };
    client.on('request', () => this.#onRequest()).on('done', () => this.#onClosed());
  }

  stop(): void {
    this.#isStopping = true;
    this.#client.responseMax = Math.max(1, this.#client.reqsMade);
  }

  destroy(): void {
    this.#client.destroy();
    this.#socket?.drop();
  }

  #openSocket(): void {
    this.#onClosed();
    // The old socket is dropped, since a late error of the old socket would make autocannon connect twice.
    this.#socket?.drop();
    this.#parser = new ResponseParser();
    this.#socket = new ObservedSocket(this.#client.opts, this.#context, {
      read: (bytes, length) => this.#read(bytes, length),
      onError: (error) => this.#onError(error),
      onEnd: () => this.#onEnd(),
    });
    this.#isUnused = true;
    this.#isUnusable = false;
    this.#client.conn = this.#socket.socket;
  }

  #reconnect(): void {
    if (!this.#client.destroyed) this.#client[connect]();
  }

  #onError(error: Error): void {
    const exchange = this.#inFlight;
    const { hasReceived } = this.#parser;
    if (exchange?.mayMove(hasReceived) === true) this.#socket?.noteEnd();
    this.#client.emit('connError', error);
    exchange?.fail(error, hasReceived);
    // A request in flight is already being sent again on a new connection.
    if (this.#inFlight === null) this.#reconnect();
  }

  #onEnd(): void {
    const mayMove = this.#inFlight?.mayMove(this.#parser.hasReceived) === true;
    if (mayMove || this.#inFlight === null) this.#socket?.noteEnd();
    if (mayMove) this.#socket?.lookForRefusal(() => this.#reconnect());
    else this.#reconnect();
  }

  /** Called before autocannon writes a request, on the same connection as before or on a new connection. */
  #onRequest(): void {
    if (this.#isUnusable) {
      // This error prevents the write and makes autocannon reconnect.
      this.#requestsBegun += 1;
      this.#client.conn.destroy(new Error('the connection is no longer usable'));
      return;
    }
    const exchange = this.#beginExchange();
    if (this.#isUnused) this.#awaitOpening(exchange);
    else this.#connected(exchange, 'reused');
  }

  #awaitOpening(exchange: SocketExchange): void {
    this.#isUnused = false;
    const { conn, opts } = this.#client;
    const opening = opts.protocol === 'https:' ? 'secureConnect' : 'connect';
    conn.once(opening, () => this.#connected(exchange, 'new'));
  }

  #connected(exchange: SocketExchange, connection: ConnectionOrigin): void {
    if (this.#inFlight !== exchange) return;
    const now = this.#context.clock.now();
    exchange.connected(now, connection);
    exchange.sent(now);
  }

  /** Writes the current request again on a new socket. */
  #resend(exchange: SocketExchange): void {
    if (this.#client.destroyed) return;
    this.#inFlight = null;
    this.#openSocket();
    this.#inFlight = exchange;
    this.#parser.expectResponse(exchange);
    this.#awaitOpening(exchange);
    this.#client.conn.write(this.#client.getRequestBuffer());
  }

  /**
   * Reads bytes with Weir's own parser. autocannon's parser loops forever on a negative chunk size, and stores a head
   * of any length.
   */
  #read(bytes: Buffer, length: number): void {
    const exchange = this.#inFlight;
    if (exchange === null) return;
    countReadBytes(length);
    exchange.readAt = this.#context.clock.read();
    if (!this.#parser.hasReceived) this.#socket?.onAnswerBegins();
    const parsed = this.#parser.read(bytes, length);
    // While the bytes were parsed, an observer may have aborted the exchange. An aborted exchange closes its connection
    // soon.
    if (parsed === 'more' || exchange.isFinished) return;
    if (parsed !== 'complete') return this.#abort(exchange, parsed.cause, parsed.detail);
    this.#socket?.onAnswered(exchange.readAt, this.#parser.isChunked);
    exchange.complete(exchange.readAt, 0);
    this.#sendNext();
  }

  #sendNext(): void {
    const client = this.#client;
    const { rule } = this.#context;
    const connection = this.#socket;
    if (connection === null) return;
    const mayReuse = this.#parser.reusableFor > 0 && rule.allowsReuse(connection);
    const rest = this.#isStopping ? 0 : rule.endsOf(connection).restAfter(connection.answers);
    // This error makes autocannon reconnect and send the next request.
    if (!mayReuse && !this.#isStopping)
      client.conn.destroy(new Error('the connection is not used again'));
    else if (rest > 0) this.#sendAfter(rest, connection);
    else if (!client.destroyed) client[sendNext]();
  }

  /** Sends the next request after `rest` ms. If the server ends the connection earlier, autocannon reconnects. */
  #sendAfter(rest: number, connection: ObservedSocket): void {
    const { socket } = connection;
    const send = (): void => {
      if (this.#client.conn !== socket || !socket.writable || this.#client.destroyed) return;
      this.#context.rule.endsOf(connection).onRested();
      this.#client[sendNext]();
    };
    // When this immediate runs, the event loop has read the sockets and noticed whether the server ended the
    // connection.
    setTimeout(() => setImmediate(send), rest);
  }

  #beginExchange(): SocketExchange {
    const request = this.#requestsBegun % this.#requests;
    this.#requestsBegun += 1;
    let begun: SocketExchange | null = null;
    const observer = this.#begin(request, {
      abort: (cause, detail) => this.#abort(begun, cause, detail),
    });
    const exchange = new SocketExchange(this.#context.clock, observer, throwUncaught);
    begun = exchange;
    exchange.owner = {
      release: () => {
        this.#inFlight = null;
      },
      giveBack: () => this.#resend(exchange),
      catchUp: () => undefined,
      hasUnwritten: () => false,
    };
    this.#inFlight = exchange;
    this.#parser.expectResponse(exchange);
    return exchange;
  }

  /** Handles a close by the server. A close completes only an answer without a declared length. */
  #onClosed(): void {
    const lost = this.#inFlight;
    if (lost === null) return;
    const parsed = this.#parser.closed();
    if (parsed === 'complete') {
      lost.complete(this.#context.clock.now(), 0);
    } else if (parsed !== 'more') {
      const error = Object.assign(new Error(), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
      lost.fail(error, this.#parser.hasReceived, parsed.detail);
    }
  }

  #abort(exchange: SocketExchange | null, cause: BrokenCause, detail: string): void {
    if (exchange === null || this.#inFlight !== exchange) return;
    exchange.abort(cause, detail);
    this.#isUnusable = true;
    // The connection is destroyed later. Otherwise, a callback of the parser would continue on a destroyed connection.
    setImmediate(() => {
      if (this.#inFlight !== null) return;
      if (this.#isStopping) this.#client.destroy();
      else this.#client.conn.destroy(new Error(detail));
    });
  }
}

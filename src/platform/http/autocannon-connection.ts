import type { EventEmitter } from 'node:events';
import net, { type Socket } from 'node:net';
import type { Client } from 'autocannon';
import type { Clock } from '../../model/clock.ts';
import type { Instant } from '../../model/quantity.ts';
import type {
  BrokenCause,
  ConnectionOrigin,
  Exchange,
  ExchangeObserver,
} from '../../model/observation/exchange.ts';
import { intoSharedBuffer } from '../socket/open-socket.ts';
import { type ResponseSink, ResponseParser } from '../socket/response-parser.ts';
import { countReadBytes } from '../host/clean-heap.ts';
import { ObservedExchange, throwUncaught } from '../connection/observed-exchange.ts';

/** The name of the method that opens `conn` and sends the first request over it. */
const connect = '_connect';
/** The name of the method that writes the next request in turn. */
const sendNext = '_doRequest';

/** The used part of autocannon's undocumented client, as of the pinned version. */
export interface AutocannonConnection extends EventEmitter {
  conn: Socket;
  /** The client ends after this many requests. */
  responseMax: number | undefined;
  readonly reqsMade: number;
  readonly destroyed: boolean;
  /** Set to ours before autocannon adds its callbacks, which are never called. */
  parser: { execute(bytes: Buffer): void };
  /** The requests under way, for autocannon's own figures. */
  pipelinedRequests: Readonly<Record<'insertRequest' | 'addByteCount' | 'clear', () => void>>;
  readonly opts: { readonly protocol: string; readonly hostname: string; readonly port: number };
  setRequests: Client['setRequests'];
  destroy(): void;
  [connect](): void;
  [sendNext](): void;
}

/** Autocannon's own figures are not used, so it need not keep what they are made of. */
const noFigures: AutocannonConnection['pipelinedRequests'] = {
  insertRequest: () => undefined,
  addByteCount: () => undefined,
  clear: () => undefined,
};

/** One exchange of autocannon's, which reads its own response; `onEnd` is called before its observer is notified of the end. */
class AutocannonExchange extends ObservedExchange implements ResponseSink {
  answered = false;
  /** The instant of the current read. */
  readAt: Instant;
  readonly #onEnd: () => void;

  constructor(clock: Clock, observer: ExchangeObserver, onEnd: () => void) {
    super(clock, observer, throwUncaught);
    this.readAt = clock.now();
    this.#onEnd = onEnd;
  }

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.answered = true;
    this.notify((observer) => observer.onHeaders(this.readAt, status, headers));
  }

  onContent(bytes: Buffer, from: number, to: number): void {
    if (this.isFinished) return;
    // Not by `notify`: a closure for each piece is garbage.
    try {
      this.observer.onChunk(this.readAt, bytes.subarray(from, to));
    } catch (error) {
      this.endByDefect(error);
    }
  }

  protected override release(): void {
    this.#onEnd();
  }
}

type BeginExchange = (request: number, exchange: Exchange) => ExchangeObserver;

/** One autocannon connection, with an observer for each of its exchanges. */
export class ObservedConnection {
  readonly #client: AutocannonConnection;
  readonly #clock: Clock;
  readonly #begin: BeginExchange;
  readonly #requests: number;
  #requestsBegun = 0;
  #socket: Socket | null = null;
  #inFlight: AutocannonExchange | null = null;
  #parser = new ResponseParser();
  /** Answers on this connection no longer match its requests. */
  #isUnusable = false;
  #isStopping = false;

  constructor(client: AutocannonConnection, clock: Clock, requests: number, begin: BeginExchange) {
    this.#client = client;
    this.#clock = clock;
    this.#requests = requests;
    this.#begin = begin;
    client.parser = {
      execute: (bytes) => {
        countReadBytes(bytes.length);
        this.#read(bytes, bytes.length);
      },
    };
    client.pipelinedRequests = noFigures;
    if (client.opts.protocol === 'http:') client[connect] = () => this.#connect();
    client
      .on('request', () => this.#onRequest())
      .on('connError', (error: Error) => this.#inFlight?.fail(error, this.#inFlight.answered))
      .on('done', () => this.#onClosed());
  }

  stop(): void {
    this.#isStopping = true;
    this.#client.responseMax = Math.max(1, this.#client.reqsMade);
  }

  destroy(): void {
    this.#client.destroy();
  }

  /** As autocannon connects, but all reads use one buffer: one for each read is garbage. */
  #connect(): void {
    const client = this.#client;
    const { hostname: host, port } = client.opts;
    const onread = intoSharedBuffer({ read: (bytes, length) => this.#read(bytes, length) });
    const reconnect = (): void => {
      if (!client.destroyed) client[connect]();
    };
    client.conn = net
      .connect({ host, port, onread })
      .on('error', (error) => {
        client.emit('connError', error);
        reconnect();
      })
      .on('end', reconnect);
    client[sendNext]();
  }

  /** Called before autocannon writes a request, on this connection or a new one. */
  #onRequest(): void {
    const isNew = this.#client.conn !== this.#socket;
    if (isNew) this.#resetConnection();
    if (this.#isUnusable) {
      // The error stops the write and makes autocannon reconnect.
      this.#requestsBegun += 1;
      this.#client.conn.destroy(new Error('the connection is no longer usable'));
      return;
    }
    const exchange = this.#beginExchange();
    if (!isNew) return this.#connected(exchange, 'reused');
    const { conn, opts } = this.#client;
    this.#socket = conn;
    const opening = opts.protocol === 'https:' ? 'secureConnect' : 'connect';
    conn.once(opening, () => this.#connected(exchange, 'new'));
  }

  #connected(exchange: AutocannonExchange, connection: ConnectionOrigin): void {
    if (this.#inFlight !== exchange) return;
    const now = this.#clock.now();
    exchange.connected(now, connection);
    exchange.sent(now);
  }

  /** Reads with our own parser: autocannon's loops for ever on a negative chunk size, and keeps a head of any length. */
  #read(bytes: Buffer, length: number): void {
    const exchange = this.#inFlight;
    if (exchange === null) return;
    exchange.readAt = this.#clock.read();
    const parsed = this.#parser.read(bytes, length);
    // An observer may have aborted it meanwhile: then the connection is about to be closed.
    if (parsed === 'more' || exchange.isFinished) return;
    if (parsed !== 'complete') return this.#abort(exchange, parsed.cause, parsed.detail);
    const mayContinue = this.#parser.reusableFor > 0 || this.#isStopping;
    exchange.complete(exchange.readAt, 0);
    // The error makes autocannon reconnect, with the next request in turn.
    if (!mayContinue) this.#client.conn.destroy(new Error('the server closes the connection'));
    else if (!this.#client.destroyed) this.#client[sendNext]();
  }

  #beginExchange(): AutocannonExchange {
    const request = this.#requestsBegun % this.#requests;
    this.#requestsBegun += 1;
    let exchange: AutocannonExchange | null = null;
    const observer = this.#begin(request, {
      abort: (cause, detail) => this.#abort(exchange, cause, detail),
    });
    exchange = new AutocannonExchange(this.#clock, observer, () => {
      this.#inFlight = null;
    });
    this.#inFlight = exchange;
    this.#parser.expectResponse(exchange);
    return exchange;
  }

  /** Discards the old connection with its request and its partial answer. */
  #resetConnection(): void {
    this.#onClosed();
    this.#isUnusable = false;
    // A late error of it would make autocannon connect twice.
    this.#socket
      ?.removeAllListeners('error')
      .removeAllListeners('end')
      .on('error', () => {});
    this.#socket?.destroy();
    this.#parser = new ResponseParser();
  }

  /** The server closed the connection: only an answer without a length may end like that. */
  #onClosed(): void {
    const lost = this.#inFlight;
    if (lost === null) return;
    const parsed = this.#parser.closed();
    if (parsed === 'complete') {
      lost.complete(this.#clock.now(), 0);
    } else if (parsed !== 'more') {
      const error = Object.assign(new Error(), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
      lost.fail(error, this.#parser.hasReceived, parsed.detail);
    }
  }

  #abort(exchange: AutocannonExchange | null, cause: BrokenCause, detail: string): void {
    if (exchange === null || this.#inFlight !== exchange) return;
    exchange.abort(cause, detail);
    this.#isUnusable = true;
    // Not within a callback of the parser, which would continue with a destroyed connection.
    setImmediate(() => {
      if (this.#inFlight !== null) return;
      if (this.#isStopping) this.#client.destroy();
      else this.#client.conn.destroy(new Error(detail));
    });
  }
}

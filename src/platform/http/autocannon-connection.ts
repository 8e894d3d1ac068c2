import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type { Client } from 'autocannon';
import type { Clock } from '../../model/clock.ts';
import type {
  BrokenCause,
  ConnectionReuse,
  Exchange,
  ExchangeObserver,
} from '../../model/observation/exchange.ts';
import { ObservedExchange, throwUncaught } from '../connection/observed-exchange.ts';

/** The used part of autocannon's undocumented client, as of the pinned version. */
export interface AutocannonConnection extends EventEmitter {
  conn: Socket;
  /** The client ends after this many requests. */
  responseMax: number | undefined;
  readonly reqsMade: number;
  readonly parser: {
    readonly hadError: boolean;
    readonly state: string;
    reinitialize(type: 'RESPONSE'): void;
  };
  readonly pipelinedRequests: { clear(): void };
  readonly opts: { readonly protocol: string };
  setRequests: Client['setRequests'];
  destroy(): void;
}

/** Header fields from autocannon's list of alternating names and values. */
const headerFieldsOf = (raw: readonly string[]): Readonly<Record<string, string>> => {
  const fields: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i]!.toLowerCase();
    const before = fields[name];
    fields[name] = before === undefined ? raw[i + 1]! : `${before}, ${raw[i + 1]!}`;
  }
  return fields;
};

/** One exchange of autocannon's; `onEnd` is called before its observer is notified of the end. */
class AutocannonExchange extends ObservedExchange {
  answered = false;
  readonly #onEnd: () => void;

  constructor(clock: Clock, observer: ExchangeObserver, onEnd: () => void) {
    super(clock, observer, throwUncaught);
    this.#onEnd = onEnd;
  }

  onHead(status: number, headers: readonly string[]): void {
    this.answered = true;
    this.notify((observer) =>
      observer.onHeaders(this.clock.now(), status, headerFieldsOf(headers)),
    );
  }

  onBody(bytes: Buffer): void {
    // Not by `notify`: a closure for each piece is garbage.
    try {
      this.observer.onChunk(this.clock.now(), bytes);
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
  /** Answers on this connection no longer match its requests. */
  #isUnusable = false;
  #isStopping = false;

  constructor(client: AutocannonConnection, clock: Clock, requests: number, begin: BeginExchange) {
    this.#client = client;
    this.#clock = clock;
    this.#requests = requests;
    this.#begin = begin;
    client
      .on('request', () => this.#onRequest())
      .on('headers', (head: { readonly statusCode: number; readonly headers: readonly string[] }) =>
        this.#onHead(head.statusCode, head.headers),
      )
      .on('body', (bytes: Buffer) => this.#inFlight?.onBody(bytes))
      .on('response', () => this.#inFlight?.complete(clock.now(), 0))
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
    const connected = (connection: ConnectionReuse): void => {
      if (this.#inFlight !== exchange) return;
      const now = this.#clock.now();
      exchange.connected(now, connection);
      exchange.sent(now);
    };
    if (!isNew) {
      connected('reused');
      return;
    }
    const { conn, opts, parser } = this.#client;
    this.#socket = conn;
    conn.once(opts.protocol === 'https:' ? 'secureConnect' : 'connect', () => connected('new'));
    conn.on('data', () => {
      if (parser.hadError) this.#abort(this.#inFlight, 'protocol', 'the answer is not HTTP/1.1');
    });
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
    // Unanswered requests would stay in its queue for ever.
    this.#client.pipelinedRequests.clear();
    this.#client.parser.reinitialize('RESPONSE');
  }

  #onHead(status: number, headers: readonly string[]): void {
    if (this.#inFlight === null) return;
    if (status < 200) {
      this.#isUnusable = true;
      const detail = `autocannon mistakes the interim answer ${status} for the answer`;
      this.#abort(this.#inFlight, 'protocol', detail);
      return;
    }
    this.#inFlight.onHead(status, headers);
  }

  /** The server closed the connection: only an answer without a length may end like that. */
  #onClosed(): void {
    const lost = this.#inFlight;
    if (lost === null) return;
    if (lost.answered && this.#client.parser.state === 'BODY_RAW') {
      lost.complete(this.#clock.now(), 0);
      return;
    }
    const error = Object.assign(new Error(), { code: 'ERR_STREAM_PREMATURE_CLOSE' });
    lost.fail(error, lost.answered, 'the connection was closed before the answer was complete');
  }

  #abort(exchange: AutocannonExchange | null, cause: BrokenCause, detail: string): void {
    if (exchange === null || this.#inFlight !== exchange) return;
    exchange.abort(cause, detail);
    // Not within a callback of the parser, which would continue with a destroyed connection.
    setImmediate(() => {
      if (this.#inFlight !== null) return;
      if (this.#isStopping) this.#client.destroy();
      else this.#client.conn.destroy(new Error(detail));
    });
  }
}

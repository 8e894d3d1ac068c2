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
import type { Instant } from '../../model/quantity.ts';
import { failureCause, failureDetail } from '../connection/failure-cause.ts';

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

interface InFlight {
  readonly observer: ExchangeObserver;
  /** `null` while connecting. */
  connection: ConnectionReuse | null;
  sent: Instant | null;
  answered: boolean;
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

type BeginExchange = (request: number, exchange: Exchange) => ExchangeObserver;

/** One autocannon connection, with an observer for each of its exchanges. */
export class ObservedConnection {
  readonly #autocannonConnection: AutocannonConnection;
  readonly #clock: Clock;
  readonly #begin: BeginExchange;
  readonly #requests: number;
  #requestsBegun = 0;
  #socket: Socket | null = null;
  #inFlight: InFlight | null = null;
  /** Answers on this connection no longer match its requests. */
  #isUnusable = false;
  #isStopping = false;

  constructor(
    autocannonConnection: AutocannonConnection,
    clock: Clock,
    requests: number,
    begin: BeginExchange,
  ) {
    this.#autocannonConnection = autocannonConnection;
    this.#clock = clock;
    this.#requests = requests;
    this.#begin = begin;
    autocannonConnection
      .on('request', () => this.#onRequest())
      .on('headers', (head: { readonly statusCode: number; readonly headers: readonly string[] }) =>
        this.#onHead(head.statusCode, head.headers),
      )
      .on('body', (bytes: Buffer) => this.#inFlight?.observer.onChunk(clock.now(), bytes))
      .on('response', () => this.#takeInFlight()?.observer.onEnd(clock.now()))
      .on('connError', (error: unknown) => this.#onError(error))
      .on('done', () => this.#onClosed());
  }

  stop(): void {
    this.#isStopping = true;
    this.#autocannonConnection.responseMax = Math.max(1, this.#autocannonConnection.reqsMade);
  }

  destroy(): void {
    this.#autocannonConnection.destroy();
  }

  #takeInFlight(): InFlight | null {
    const taken = this.#inFlight;
    this.#inFlight = null;
    return taken;
  }

  /** Called before autocannon writes a request, on this connection or a new one. */
  #onRequest(): void {
    const isNew = this.#autocannonConnection.conn !== this.#socket;
    if (isNew) this.#resetConnection();
    if (this.#isUnusable) {
      // The error stops the write and makes autocannon reconnect.
      this.#requestsBegun += 1;
      this.#autocannonConnection.conn.destroy(new Error('the connection is no longer usable'));
      return;
    }
    const { observer, exchange } = this.#beginExchange();
    const inFlight: InFlight = { observer, connection: null, sent: null, answered: false };
    exchange.of = inFlight;
    this.#inFlight = inFlight;
    const connected = (connection: ConnectionReuse): void => {
      if (this.#inFlight !== inFlight) return;
      const now = this.#clock.now();
      Object.assign(inFlight, { connection, sent: now });
      observer.onConnected(now, connection);
      observer.onSent(now);
    };
    if (!isNew) {
      connected('reused');
      return;
    }
    const { conn, opts, parser } = this.#autocannonConnection;
    this.#socket = conn;
    conn.once(opts.protocol === 'https:' ? 'secureConnect' : 'connect', () => connected('new'));
    conn.on('data', () => {
      if (parser.hadError) this.#abort(this.#inFlight, 'protocol', 'the answer is not HTTP/1.1');
    });
  }

  #beginExchange(): {
    readonly observer: ExchangeObserver;
    readonly exchange: { of: InFlight | null };
  } {
    const request = this.#requestsBegun % this.#requests;
    this.#requestsBegun += 1;
    const exchange: { of: InFlight | null } = { of: null };
    const observer = this.#begin(request, {
      abort: (cause, detail) => this.#abort(exchange.of, cause, detail),
    });
    return { observer, exchange };
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
    this.#autocannonConnection.pipelinedRequests.clear();
    this.#autocannonConnection.parser.reinitialize('RESPONSE');
  }

  #onHead(status: number, headers: readonly string[]): void {
    if (this.#inFlight === null) return;
    if (status < 200) {
      this.#isUnusable = true;
      const detail = `autocannon mistakes the interim answer ${status} for the answer`;
      this.#abort(this.#inFlight, 'protocol', detail);
      return;
    }
    this.#inFlight.answered = true;
    this.#inFlight.observer.onHeaders(this.#clock.now(), status, headerFieldsOf(headers));
  }

  #onError(error: unknown): void {
    const broken = this.#takeInFlight();
    if (broken === null) return;
    broken.observer.onFailure(this.#clock.now(), this.#cause(error, broken), failureDetail(error));
  }

  /** The server closed the connection: only an answer without a length may end like that. */
  #onClosed(): void {
    const lost = this.#takeInFlight();
    if (lost === null) return;
    const now = this.#clock.now();
    if (lost.answered && this.#autocannonConnection.parser.state === 'BODY_RAW') {
      lost.observer.onEnd(now);
      return;
    }
    const cause = this.#cause({ code: 'ERR_STREAM_PREMATURE_CLOSE' }, lost);
    lost.observer.onFailure(now, cause, 'the connection was closed before the answer was complete');
  }

  #cause(error: unknown, { connection, sent, answered }: InFlight): BrokenCause {
    const sinceSent = sent === null ? null : this.#clock.now() - sent;
    return failureCause(error, { connection, sinceSent, hasResponse: answered });
  }

  #abort(exchange: InFlight | null, cause: BrokenCause, detail: string): void {
    if (exchange === null || this.#inFlight !== exchange) return;
    this.#inFlight = null;
    exchange.observer.onFailure(this.#clock.now(), cause, detail);
    // Not within a callback of the parser, which would continue with a destroyed connection.
    setImmediate(() => {
      if (this.#inFlight !== null) return;
      if (this.#isStopping) this.#autocannonConnection.destroy();
      else this.#autocannonConnection.conn.destroy(new Error(detail));
    });
  }
}

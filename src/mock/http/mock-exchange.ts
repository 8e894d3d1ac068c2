import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader } from '../../contract/routes.ts';
import type { FaultName } from '../../model/gateway/mock-faults.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import { errorBody, refusalErrors, RequestRefusal } from '../errors/mock-errors.ts';
import type { ExchangeEnd, MockCounters, CreditCharge } from '../counters/mock-counters.ts';
import type { RequestTrace } from './request-trace.ts';
import type { Socket } from 'node:net';
import { scheduleTokens } from '../serving/token-schedule.ts';
import type { Permit, LimitExceeded } from '../limits/key-limiter.ts';
import type { Serving } from '../serving/serving.ts';
import type { Settings } from '../settings/settings.ts';

/** The body of an answer of Server-Sent Events. */
export interface EventStream {
  /** Writes events to the socket at once. They must not be empty, since an empty chunk would end the message. */
  write(events: string | Uint8Array): void;
  end(): void;
}

/**
 * Frames events as chunks and writes them at once. The response object would delay each write until the end of the
 * tick.
 */
class ResponseStream implements EventStream {
  readonly #response: ServerResponse;
  #socket: Socket | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(events: string | Uint8Array): void {
    const socket = (this.#socket ??= this.#chunkedSocket());
    if (socket === null) return void this.#response.write(events);
    const length = Buffer.byteLength(events);
    const size = length.toString(16);
    if (typeof events === 'string') {
      // For ASCII, `latin1` writes the same bytes without an encoder.
      const encoding = length === events.length ? 'latin1' : 'utf8';
      socket.write(`${size}\r\n${events}\r\n`, encoding);
    } else {
      socket.write(Buffer.concat([Buffer.from(`${size}\r\n`), events, Buffer.from('\r\n')]));
    }
  }

  end(): void {
    this.#response.end();
  }

  /**
   * Returns the socket; `null` while an earlier answer on this connection is incomplete, or if the client uses
   * HTTP/1.0.
   */
  #chunkedSocket(): Socket | null {
    const { socket, chunkedEncoding } = this.#response;
    return chunkedEncoding ? socket : null;
  }
}

/** Adds the time of writing to each JSON event, as the first field of the event. */
export const addSendTimestamps =
  (clock: MockClock) =>
  (stream: EventStream): EventStream => ({
    write: (events) =>
      stream.write(
        String(events).replaceAll(/^data: \{/gm, `data: {"x_weir_sent":${clock.now()},`),
      ),
    end: () => stream.end(),
  });

type Encode = (bytes: string | Uint8Array) => string | Uint8Array;
type Headers = Readonly<Record<string, string>>;

let formatted = { second: Number.NaN, date: '' };
/** Formats Unix milliseconds as an HTTP date (RFC 9110, 5.6.7). The text is cached for a second. */
const httpDate = (wall: number): string => {
  const second = Math.floor(wall / 1000);
  if (second !== formatted.second) formatted = { second, date: new Date(wall).toUTCString() };
  return formatted.date;
};

export class MockExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counters: MockCounters;
  /** The request id of the answer: the client's request id, otherwise an id of the mock. */
  readonly id: string;
  readonly clientId: string | null;
  /** The key's index in the settings; `null` until the key is known to be valid. */
  keyIndex: number | null = null;
  /** The number of this request's connection. Connections are numbered in the order of their first requests. */
  connection = 0;
  trace: RequestTrace | null = null;
  /** The fault that the request shows; `null` without a fault. The counters record the request's end as this fault. */
  fault: FaultName | null = null;
  extraHeaders: (status: number, contentType: string) => Headers = () => ({});
  rewriteHeaders = (headers: Headers): Headers => headers;
  /** Changes each piece of an answer that is not streamed. */
  encode: Encode = (bytes) => bytes;
  shapeStream = (stream: EventStream): EventStream => stream;
  /** Called when the request ends before its answer is complete. */
  onInterruption = (): void => undefined;
  onEnd = (): void => undefined;
  /** Called when the client has its whole answer or has disconnected. */
  onClose = (): void => undefined;
  end: ExchangeEnd | null = null;
  readonly #clock: MockClock;

  constructor(
    wire: { readonly request: IncomingMessage; readonly response: ServerResponse },
    clock: MockClock,
    counters: MockCounters,
    serverId: string,
  ) {
    this.request = wire.request;
    this.response = wire.response;
    this.counters = counters;
    this.#clock = clock;
    const id = wire.request.headers[requestIdHeader];
    this.clientId = typeof id === 'string' && id !== '' ? id : null;
    this.id = this.clientId ?? serverId;
    counters.received += 1;
    wire.response.on('close', () => {
      this.#interrupt('aborted');
      this.onClose();
    });
  }

  get isOpen(): boolean {
    return this.end === null;
  }

  /** Adds a change of streamed events. Events pass through `shape` first, and then through the earlier changes. */
  wrapStream(shape: (stream: EventStream) => EventStream): void {
    const inner = this.shapeStream;
    const shapeTwice = (stream: EventStream): EventStream => inner(shape(stream));
    this.shapeStream = shapeTwice;
  }

  /** Writes the head. The `Date` header has the time of the mock's clock instead of the machine's clock. */
  writeHead(status: number, headers: Headers): void {
    this.response.sendDate = false;
    const head = {
      date: httpDate(this.#clock.wall()),
      [requestIdHeader]: this.id,
      ...this.extraHeaders(status, headers['content-type'] ?? ''),
      ...headers,
    };
    this.response.writeHead(status, this.rewriteHeaders(head));
  }

  /**
   * Counts the end of the request. Must be called before the last byte is written, so that the request is counted
   * before the client has its whole answer.
   */
  recordEnd(end: ExchangeEnd): void {
    if (!this.isOpen) throw new Error(`the request has already ended and cannot end as ${end}`);
    this.end = this.fault === null ? end : `faulted.${this.fault}`;
    this.counters.ended[this.end] += 1;
    this.onEnd();
  }

  answerText(end: ExchangeEnd, status: number, text: string, headers: Headers): void {
    this.recordEnd(end);
    const body = this.encode(text);
    this.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    this.#clock.atEndOfTurn(() => this.response.end(body));
  }

  answerJson(end: ExchangeEnd, status: number, body: unknown, headers: Headers = {}): void {
    const allHeaders = { ...headers, 'content-type': 'application/json' };
    this.answerText(end, status, JSON.stringify(body), allHeaders);
  }

  refuse(refusal: RequestRefusal, status: number = refusalErrors[refusal.cause].status): void {
    const { cause, message, headers } = refusal;
    const body = errorBody(refusalErrors[cause], message);
    this.answerJson(`refused.${cause}`, status, body, headers);
  }

  /** Runs `handle`, and refuses the request if it throws a `RequestRefusal`. */
  attempt(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      if (!(error instanceof RequestRefusal)) throw error;
      this.refuse(error);
    }
  }

  /**
   * Ends the request because the mock stops. A stream is cut. Any other request is answered with a 500 (interface
   * section 7).
   */
  closeForShutdown(): void {
    this.#interrupt('cut');
    if (this.response.headersSent) return void this.response.end();
    const stopping = { type: 'server_error', code: 'stopping' };
    const body = errorBody(stopping, 'The mock is stopping; try again later.');
    this.writeHead(500, { 'content-type': 'application/json', connection: 'close' });
    this.response.end(JSON.stringify(body));
  }

  #interrupt(end: 'aborted' | 'cut'): void {
    if (!this.isOpen) return;
    this.recordEnd(end);
    this.onInterruption();
  }
}

/** A request that passed the checks of path, key, credits and limits. */
export interface AdmittedRequest {
  readonly exchange: MockExchange;
  readonly key: string;
  readonly permit: Permit;
  /**
   * Answers with the 429 of a limit. This function is needed only for limits that are checked after the body was read.
   */
  readonly refuseByLimit: (exceeded: LimitExceeded) => void;
  readonly bill: (charge: CreditCharge) => void;
  readonly serving: Serving;
  readonly settings: Settings;
  readonly clock: MockClock;
}

export type Handler = (admitted: AdmittedRequest) => void;

/** Runs `answer` at `due`, unless the request ends earlier. */
export const answerAt = (
  { exchange, clock }: AdmittedRequest,
  due: number,
  answer: () => void,
): void => {
  const timing = { first: due, gap: 0, steps: 1 };
  exchange.onInterruption = scheduleTokens(clock, timing, { emit: answer });
};

/**
 * Sends a body as fast as the client reads. `finish` runs just before the end of the answer, unless the request ends
 * early.
 */
export const sendBody = (
  exchange: MockExchange,
  pieces: Iterator<Uint8Array, void>,
  finish: () => void,
): void => {
  const { response } = exchange;
  const send = (): void => {
    let hasRoom = true;
    while (hasRoom && exchange.isOpen) {
      const piece = pieces.next();
      if (piece.done === true) {
        finish();
        return void response.end();
      }
      hasRoom = response.write(exchange.encode(piece.value));
    }
    if (!hasRoom) response.once('drain', send);
  };
  send();
};

export const openEventStream = (exchange: MockExchange): EventStream => {
  const { response } = exchange;
  exchange.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  return exchange.shapeStream(new ResponseStream(response));
};

import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader } from '../../contract/routes.ts';
import type { FaultName } from '../../model/gateway/mock-faults.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream } from './event-stream.ts';
import { errorBody, refusalErrors, RequestRefusal } from '../errors/request-refusal.ts';
import type { ExchangeEnd, MockCounters } from '../counters/mock-counters.ts';
import type { RequestTrace } from './request-trace.ts';

type Encode = (bytes: string | Uint8Array) => string | Uint8Array;
type Headers = Readonly<Record<string, string>>;

let formatted = { second: Number.NaN, date: '' };
/** Unix milliseconds as an HTTP date (RFC 9110, 5.6.7), cached for a second. */
const httpDate = (wall: number): string => {
  const second = Math.floor(wall / 1000);
  if (second !== formatted.second) formatted = { second, date: new Date(wall).toUTCString() };
  return formatted.date;
};

/** One request and its answer, counted under exactly one end, whatever the client does. */
export class MockExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counters: MockCounters;
  /** The request id of the answer: the client's, else the mock's own. */
  readonly id: string;
  /** The request id that the client sent, or `null`. */
  readonly clientId: string | null;
  /** The index of its key in the settings, once the key is known to be valid. */
  keyIndex: number | null = null;
  /** Set if the mock keeps a trace log. */
  trace: RequestTrace | null = null;
  /** The end of the request is counted under this fault. */
  fault: FaultName | null = null;
  extraHeaders: (status: number, contentType: string) => Headers = () => ({});
  rewriteHeaders = (headers: Headers): Headers => headers;
  /** Changes each piece of an answer that is not streamed. */
  encode: Encode = (bytes) => bytes;
  shapeStream = (stream: EventStream): EventStream => stream;
  /** Called when the request ends before its answer. */
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

  /** Whether the request has not ended yet. */
  get isOpen(): boolean {
    return this.end === null;
  }

  /** Changes streamed events by `shape`, before the shapes that are already set. */
  wrapStream(shape: (stream: EventStream) => EventStream): void {
    const inner = this.shapeStream;
    const shapeTwice = (stream: EventStream): EventStream => inner(shape(stream));
    this.shapeStream = shapeTwice;
  }

  /** Writes the head. The `Date` header follows the mock's clock, not the machine's. */
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

  /** Counts the end; called before the last byte is written, so that a client with its answer finds it counted. */
  recordEnd(end: ExchangeEnd): void {
    if (!this.isOpen) throw new Error(`the request has already ended and cannot end as ${end}`);
    this.end = this.fault === null ? end : `faulted.${this.fault}`;
    this.counters.ended[this.end] += 1;
    this.onEnd();
  }

  /** Sends a non-streamed response and ends the request. */
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

  /** Runs a part of the request's handling, and refuses the request if it throws a refusal. */
  attempt(handle: () => void): void {
    try {
      handle();
    } catch (error) {
      if (!(error instanceof RequestRefusal)) throw error;
      this.refuse(error);
    }
  }

  /** Ends the request because the mock stops: cuts a stream, answers anything else with the 500 of interface section 7. */
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import { requestIdHeader } from '../../contract/routes.ts';
import type { FaultName } from '../../model/gateway/mock-faults.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { EventStream } from './event-stream.ts';
import { errorBody, type RequestRefusal, refusalErrors } from '../errors/request-refusal.ts';
import type { ExchangeEnd, MockCounters } from '../counters/mock-counters.ts';
import type { RequestTrace } from './request-trace.ts';

/** What is made of a piece of a body before it is sent. */
type Encode = (bytes: string | Uint8Array) => string | Uint8Array;
type Headers = Readonly<Record<string, string>>;

let [formattedSecond, formattedDate] = [Number.NaN, ''];
/** An instant in Unix milliseconds as HTTP writes it (RFC 9110, 5.6.7); a second's answers share one. */
const httpDate = (wall: number): string => {
  const now = Math.floor(wall / 1000);
  if (now !== formattedSecond)
    [formattedSecond, formattedDate] = [now, new Date(wall).toUTCString()];
  return formattedDate;
};

/**
 * One request and its answer: carries the headers that every answer has, and sees to it that the
 * request is counted under exactly one end, whatever the client does meanwhile.
 */
export class MockExchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counters: MockCounters;
  /** The id by which the answer names the request: the client's, else the mock's own. */
  readonly id: string;
  /** The id by which the client named the request, or `null`. */
  readonly clientId: string | null;
  /** The place of the key that it was signed with, once that is known to be valid. */
  keyIndex: number | null = null;
  /** Who notes what truly happens, where the truth is kept. */
  trace: RequestTrace | null = null;
  readonly #clock: MockClock;
  #extraHeaders: (status: number, contentType: string) => Headers = () => ({});
  #end: ExchangeEnd | null = null;
  #fault: FaultName | null = null;
  #rewrite = (headers: Headers): Headers => headers;
  #encode: Encode = (bytes) => bytes;
  #wrapStream = (stream: EventStream): EventStream => stream;
  #onInterruption = (): void => undefined;
  #onEnd = (): void => undefined;
  #onClose = (): void => undefined;

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
      this.#onClose();
    });
  }

  /** Whether the request has not ended yet. */
  get isOpen(): boolean {
    return this.#end === null;
  }

  /** How the request ended, once it has. */
  get end(): ExchangeEnd | null {
    return this.#end;
  }

  /** Sets what the head of the answer bears beside its own headers. */
  setExtraHeaders(headers: (status: number, contentType: string) => Headers): void {
    this.#extraHeaders = headers;
  }

  /** Sets what is to be done when the request ends, however it does. */
  onEnd(run: () => void): void {
    this.#onEnd = run;
  }

  /** Sets what is to be done when the client has all of its answer, or is gone. */
  onClose(run: () => void): void {
    this.#onClose = run;
  }

  /** Lets the head of whatever answer is given pass through `rewrite`. */
  rewriteHeaders(rewrite: (headers: Headers) => Headers): void {
    this.#rewrite = rewrite;
  }

  /** Lets whatever is not streamed pass through `encode`, piece by piece. */
  encodeBody(encode: Encode): void {
    this.#encode = encode;
  }

  /** A piece of a body as it is to be sent. */
  encode(piece: Uint8Array): string | Uint8Array {
    return this.#encode(piece);
  }

  /** From now on the request ends under this fault, whatever else is told of its end. */
  setFault(fault: FaultName): void {
    this.#fault = fault;
  }

  /** The fault that the request shows. */
  get fault(): FaultName | null {
    return this.#fault;
  }

  /** Lets what is streamed pass through `shape`, behind those set before. */
  wrapStream(shape: (stream: EventStream) => EventStream): void {
    const inner = this.#wrapStream;
    this.#wrapStream = (stream) => inner(shape(stream));
  }

  /** The stream with all its shapes around it. */
  wrappedStream(stream: EventStream): EventStream {
    return this.#wrapStream(stream);
  }

  /** Sets what is to be done, once, if the request ends before its answer does. */
  onInterruption(run: () => void): void {
    this.#onInterruption = run;
  }

  /** Writes the head. The `Date` header follows the mock's clock, not the machine's. */
  writeHead(status: number, headers: Headers): void {
    this.response.sendDate = false;
    const head = {
      date: httpDate(this.#clock.wall()),
      [requestIdHeader]: this.id,
      ...this.#extraHeaders(status, headers['content-type'] ?? ''),
      ...headers,
    };
    this.response.writeHead(status, this.#rewrite(head));
  }

  /** Counts the end; call it before the last byte is handed over, so that whoever has the answer finds it counted. */
  recordEnd(end: ExchangeEnd): void {
    if (!this.isOpen) throw new Error(`a request that has ended cannot end as ${end}`);
    this.#end = this.#fault === null ? end : `faulted.${this.#fault}`;
    this.counters.ended[this.#end] += 1;
    this.#onEnd();
  }

  /** Answers in one piece of text and ends the request. */
  answerText(end: ExchangeEnd, status: number, text: string, headers: Headers): void {
    this.recordEnd(end);
    const body = this.#encode(text);
    this.writeHead(status, { ...headers, 'content-length': String(Buffer.byteLength(body)) });
    this.#clock.atEndOfTurn(() => this.response.end(body));
  }

  /** Answers with a JSON body and ends the request. */
  answerJson(end: ExchangeEnd, status: number, body: unknown, headers: Headers = {}): void {
    this.answerText(end, status, JSON.stringify(body), {
      ...headers,
      'content-type': 'application/json',
    });
  }

  refuse({ cause, message, status }: RequestRefusal, headers: Headers = {}): void {
    const refusal = refusalErrors[cause];
    this.answerJson(
      `refused.${cause}`,
      status ?? refusal.status,
      errorBody(refusal, message),
      headers,
    );
  }

  /** Ends the request because the mock stops: a stream ends short, anything else gets the 500 of interface section 7. */
  closeForShutdown(): void {
    this.#interrupt('cut');
    if (this.response.headersSent) {
      this.response.end();
      return;
    }
    const stopping = { type: 'server_error', code: 'stopping' };
    this.writeHead(500, { 'content-type': 'application/json', connection: 'close' });
    this.response.end(
      JSON.stringify(errorBody(stopping, 'The mock is stopping; ask again later.')),
    );
  }

  #interrupt(end: 'aborted' | 'cut'): void {
    if (!this.isOpen) return;
    this.recordEnd(end);
    this.#onInterruption();
  }
}

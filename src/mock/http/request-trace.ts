import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { FaultName } from '../../model/gateway/mock-faults.ts';
import type { LimitLevels } from '../limits/key-limiter.ts';
import { MockStartError } from '../errors/mock-start-error.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import { RecentItems } from '../counters/recent-items.ts';
import type { Settings } from '../settings/settings.ts';
import type { ExchangeEnd } from '../counters/mock-counters.ts';

/**
 * One line of the trace log (`--truth`): the trace of one request. All times are in ms on the machine's monotonic
 * clock, so that they can be compared with those of a client on the same machine.
 */
export interface RequestTraceLine {
  /** The client's `x-request-id`, which joins both sides; else the mock's own. */
  readonly requestId: string;
  /** The key's index in the settings; `null` without a valid key. */
  readonly key: number | null;
  /** The kind of traffic, as far as the request was parsed. */
  readonly kind: string | null;
  readonly accepted: number;
  /** Whether it passed the checks of path, method, key, credits and limits. */
  readonly admitted: boolean;
  /** The limits before and after the limiter's decision; `null` if it was not asked. */
  readonly limits: { readonly before: LimitLevels; readonly after: LimitLevels } | null;
  /** When the last byte of the request was read. */
  readonly read: number | null;
  /** When a chat joined the queue of its model; `null` for other requests and refused ones. */
  readonly queued: number | null;
  /** When its prefill, and so its first token, was due; `null` if it ended before. */
  readonly prefillEnd: number | null;
  /** When each token of a stream was due, and when it was written to the socket. */
  readonly due: readonly number[];
  readonly sent: readonly number[];
  /** Bytes written to the socket during the request, head included; with pipelining, those of earlier answers too. */
  readonly bytes: number;
  /** When the answer was complete or its connection closed. */
  readonly ended: number;
  readonly end: ExchangeEnd | null;
  readonly fault: FaultName | null;
  /** `null` if no head was sent. */
  readonly status: number | null;
  /** The charge, in micro-units. */
  readonly micros: number;
}

/** Fields set by the request handlers, before they are. */
const noHandlerFields = {
  kind: null,
  admitted: false,
  limits: null,
  queued: null,
  prefillEnd: null,
  micros: 0,
} as const satisfies Partial<RequestTraceLine>;
type HandlerFields = Pick<RequestTraceLine, keyof typeof noHandlerFields>;

interface TracedExchange {
  readonly id: string;
  readonly keyIndex: number | null;
  readonly end: ExchangeEnd | null;
  readonly fault: FaultName | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Collects the trace of one request. */
export class RequestTrace {
  readonly #exchange: TracedExchange;
  readonly #clock: MockClock;
  readonly #accepted: number;
  readonly #written: number;
  /** The due and sent times of the tokens, alternating. */
  readonly #tokens: number[] = [];
  #read: number | null = null;
  #fields: HandlerFields = noHandlerFields;

  constructor(exchange: TracedExchange, clock: MockClock) {
    this.#exchange = exchange;
    this.#clock = clock;
    this.#accepted = clock.now();
    this.#written = exchange.request.socket.bytesWritten;
    exchange.request.once('end', () => {
      this.#read = clock.now();
    });
  }

  setFields(fields: Partial<HandlerFields>): void {
    this.#fields = { ...this.#fields, ...fields };
  }

  /** Records a token that is about to be written to the socket. */
  recordToken(due: number): void {
    this.#tokens.push(due, this.#clock.now());
  }

  /** The complete trace, once the connection is done with the request. */
  toLine(): RequestTraceLine {
    const { id: requestId, keyIndex, end, fault, request, response } = this.#exchange;
    return {
      requestId,
      key: keyIndex,
      accepted: this.#accepted,
      ...this.#fields,
      read: this.#read,
      due: this.#tokens.filter((_, i) => i % 2 === 0),
      sent: this.#tokens.filter((_, i) => i % 2 === 1),
      bytes: request.socket.bytesWritten - this.#written,
      ended: this.#clock.now(),
      end,
      fault,
      status: response.headersSent ? response.statusCode : null,
    };
  }
}

const writeErrorMessage = (path: string, error: unknown): string =>
  `The mock cannot write its trace log to ${path}: ${error instanceof Error ? error.message : String(error)}.`;

const openFile = (path: string): number => {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new MockStartError(writeErrorMessage(path, error), { cause: error });
  }
};

/** Opens the log of the settings. Throws a `MockStartError` if its file cannot be written. */
export const openRequestTraceLog = ({ truth }: Settings) => {
  if (truth === null) return null;
  const path = truth.file;
  const recentLines = new RecentItems<RequestTraceLine>(truth.keep);
  let file = path === null ? null : openFile(path);
  let problem: string | null = null;
  const close = (): void => {
    if (file !== null) closeSync(file);
    file = null;
  };
  /** Writes each line at once, without a buffer, so that none is lost. */
  const write = (line: RequestTraceLine): void => {
    if (file === null || path === null) return;
    try {
      writeFileSync(file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      close();
      problem = writeErrorMessage(path, error);
    }
  };
  return {
    /** Starts the trace of a request; its line is written when the connection is done with it. */
    startTrace: (exchange: TracedExchange, clock: MockClock): RequestTrace => {
      const trace = new RequestTrace(exchange, clock);
      exchange.response.once('close', () => {
        const line = trace.toLine();
        recentLines.add(line);
        write(line);
      });
      return trace;
    },
    /** The last lines, oldest first, how many were dropped from memory, and the error of the file. */
    recent: () => ({ dropped: recentLines.dropped, problem, lines: recentLines.items() }),
    close,
  };
};

export type RequestTraceLog = NonNullable<ReturnType<typeof openRequestTraceLog>>;

import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { FaultName } from '../../model/gateway/mock-faults.ts';
import type { LimitLevels } from '../limits/key-limiter.ts';
import { MockStartError } from '../errors/mock-start-error.ts';
import type { MockClock } from '../clock/mock-clock.ts';

import { openRecentItems } from '../counters/recent-items.ts';
import type { Settings } from '../settings/settings.ts';
import type { ExchangeEnd } from '../counters/mock-counters.ts';

/**
 * What truly happened to one request: one line of the truth log. Every instant is in milliseconds on
 * the machine's monotonic clock, so that it can be compared with those of a client on this machine.
 */
export interface RequestTraceLine {
  /** The client's `x-request-id`, by which both sides are joined; else the mock's own. */
  readonly requestId: string;
  /** The key's place in the settings, from 0; `null` without a valid key. */
  readonly key: number | null;
  /** The kind of traffic, known as far as the request was understood. */
  readonly kind: string | null;
  readonly accepted: number;
  /** Whether path, method, key, credits and limits let it through. */
  readonly admitted: boolean;
  /** The limits as they were when the limiter was asked, and with its decision booked; `null` when it was not asked. */
  readonly limits: { readonly before: LimitLevels; readonly after: LimitLevels } | null;
  /** When the last byte of the request had been read. */
  readonly read: number | null;
  /** When a chat joined the queue for its model; `null` of anything else, and of one that got no further than the limits. */
  readonly queued: number | null;
  /** When its prompt was due to have been read, which brings the first token; `null` when it did not last that long. */
  readonly prefillEnd: number | null;
  /** For each token of a stream when it was due, and when it was handed to the socket. */
  readonly due: readonly number[];
  readonly sent: readonly number[];
  /** Bytes handed to the socket while the request lasted, head included: where a client pipelines, also those of the answers before. */
  readonly bytes: number;
  /** When the answer was complete or its connection gone. */
  readonly ended: number;
  readonly end: ExchangeEnd | null;
  /** The fault that it showed. */
  readonly fault: FaultName | null;
  /** `null` when no head was sent. */
  readonly status: number | null;
  /** What the request was charged, in micro-units. */
  readonly micros: number;
}

/** What others know of a request. */
type HandlerFields = Pick<
  RequestTraceLine,
  'kind' | 'admitted' | 'limits' | 'queued' | 'prefillEnd' | 'micros'
>;

const noHandlerFields: HandlerFields = {
  kind: null,
  admitted: false,
  limits: null,
  queued: null,
  prefillEnd: null,
  micros: 0,
};

/** What a trace reads of its exchange. */
interface TracedExchange {
  readonly id: string;
  readonly keyIndex: number | null;
  readonly end: ExchangeEnd | null;
  readonly fault: FaultName | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Gathers the truth of one request while it lasts. */
export class RequestTrace {
  readonly #exchange: TracedExchange;
  readonly #clock: MockClock;
  readonly #accepted: number;
  readonly #written: number;
  /** Of each token when it was due and when it was sent, one behind the other. */
  readonly #tokens: number[] = [];
  #read: number | null = null;
  #fields = noHandlerFields;

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

  /** Notes a token that is about to be handed to the socket, by when it was due. */
  recordToken(due: number): void {
    this.#tokens.push(due, this.#clock.now());
  }

  /** The whole truth, once the connection is done with the request. */
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

/** Where the truth goes. */
export interface RequestTraceLog {
  /** Begins to watch a request; its line is written when its connection is done with it. */
  startTrace(exchange: TracedExchange, clock: MockClock): RequestTrace;
  /** The last lines, oldest first, how many are no longer kept in memory, and what hindered the file. */
  recent(): {
    readonly dropped: number;
    readonly problem: string | null;
    readonly lines: readonly RequestTraceLine[];
  };
  close(): void;
}

const writeErrorMessage = (path: string, error: unknown): string =>
  `The mock cannot write its truth to ${path}: ${error instanceof Error ? error.message : String(error)}.`;

/** Lines are written as they come, without a buffer: nothing is lost and nothing piles up. */
const openFile = (path: string): { write(line: string): string | null; close(): void } => {
  let file: number | null;
  try {
    file = openSync(path, 'w');
  } catch (error) {
    throw new MockStartError(writeErrorMessage(path, error), { cause: error });
  }
  const close = (): void => {
    if (file !== null) closeSync(file);
    file = null;
  };
  return {
    write: (line) => {
      if (file === null) return null;
      try {
        writeFileSync(file, `${line}\n`);
        return null;
      } catch (error) {
        close();
        return writeErrorMessage(path, error);
      }
    },
    close,
  };
};

/** Opens the log that the settings ask for; throws a sentence for people when its file cannot be written. */
export const openRequestTraceLog = ({ truth }: Settings): RequestTraceLog | null => {
  if (truth === null) return null;
  const file = truth.file === null ? null : openFile(truth.file);
  const recentLines = openRecentItems<RequestTraceLine>(truth.keep);
  let problem: string | null = null;
  return {
    startTrace: (exchange, clock) => {
      const trace = new RequestTrace(exchange, clock);
      exchange.response.once('close', () => {
        const line = trace.toLine();
        recentLines.add(line);
        problem = file?.write(JSON.stringify(line)) ?? problem;
      });
      return trace;
    },
    recent: () => ({ dropped: recentLines.dropped, problem, lines: recentLines.items() }),
    close: () => file?.close(),
  };
};

import type { IncomingMessage, ServerResponse } from 'node:http';
import { closeSync, openSync, writeFileSync } from 'node:fs';
import type { FaultName } from '../../model/gateway/mock-faults.ts';
import type { LimitLevels } from '../limits/key-limiter.ts';
import type { TokenCharge } from '../limits/token-limiter.ts';
import { MockStartError } from '../errors/mock-errors.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import { RecentItems, type ExchangeEnd } from '../counters/mock-counters.ts';
import type { Settings } from '../settings/settings.ts';

/** The fields that request handlers set, with their initial values. */
const noHandlerFields = {
  /** The kind of traffic; `null` if the kind is unknown. */
  kind: null as string | null,
  /** Whether the request passed the checks of path, method, key, credits and limits. */
  admitted: false,
  /** The limit levels before and after the limiter's decision; `null` if the limiter did not decide. */
  limits: null as { readonly before: LimitLevels; readonly after: LimitLevels } | null,
  /** The token charges of the request's key; empty without charges. */
  charges: [] as readonly TokenCharge[],
  /** The time at which a chat joined the queue of its model; `null` if the request was refused or is not a chat. */
  queued: null as number | null,
  /**
   * The time at which the prefill of the request was due to end. The first token was due at the same time. `null` if
   * the request ended earlier.
   */
  prefillEnd: null as number | null,
  micros: 0,
};

interface TracedExchange {
  readonly id: string;
  readonly keyIndex: number | null;
  readonly end: ExchangeEnd | null;
  readonly fault: FaultName | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

const startTrace = (exchange: TracedExchange, clock: MockClock) => {
  const { id: requestId, request, response } = exchange;
  const accepted = clock.now();
  const earlierBytes = request.socket.bytesWritten;
  /** The due time and the sent time of each token, alternating. */
  const tokens: number[] = [];
  /** The time after the write of each token. */
  const written: number[] = [];
  let read = null as number | null;
  let fields = noHandlerFields;
  request.once('end', () => {
    read = clock.now();
  });
  return {
    setFields: (set: Partial<typeof noHandlerFields>): void => {
      fields = { ...fields, ...set };
    },
    recordToken: (due: number): void => void tokens.push(due, clock.now()),
    /** Records that all tokens so far were written to the socket. */
    recordWrite: (): void => {
      for (const now = clock.now(); written.length < tokens.length / 2;) written.push(now);
    },
    /**
     * Returns the line of the trace log. Times are in ms on the machine's monotonic clock, which clients on this
     * machine can also read.
     */
    toLine: () => ({
      /**
       * The client's `x-request-id`, with which both the client and the mock can identify the request. Without this
       * header, an id that the mock generated.
       */
      requestId,
      /** The key's index in the settings; `null` if the request has no valid key. */
      key: exchange.keyIndex,
      accepted,
      ...fields,
      /** The time at which the last byte of the request was read. */
      read,
      /**
       * The times of each streamed token: when it was due, just before it was written to the socket, and just after.
       */
      due: tokens.filter((_, i) => i % 2 === 0),
      sent: tokens.filter((_, i) => i % 2 === 1),
      written,
      /**
       * How many bytes were written to the socket during the request. With pipelining, this includes bytes of earlier
       * answers.
       */
      bytes: request.socket.bytesWritten - earlierBytes,
      /** When the answer was complete or its connection was closed. */
      ended: clock.now(),
      end: exchange.end,
      fault: exchange.fault,
      /** The HTTP status; `null` if no head was sent. */
      status: response.headersSent ? response.statusCode : null,
    }),
  };
};
export type RequestTrace = ReturnType<typeof startTrace>;
export type RequestTraceLine = ReturnType<RequestTrace['toLine']>;

const writeErrorMessage = (path: string | null, error: unknown): string =>
  `The mock cannot write its trace log to ${path}: ${error instanceof Error ? error.message : String(error)}.`;

/**
 * Opens the trace log that the settings name; `null` without a trace log. Throws a `MockStartError` if the file of the
 * log cannot be written.
 */
export const openRequestTraceLog = ({ truth }: Settings) => {
  if (truth === null) return null;
  const recentLines = new RecentItems<RequestTraceLine>(truth.keep);
  let file: number | null = null;
  let problem: string | null = null;
  try {
    if (truth.file !== null) file = openSync(truth.file, 'w');
  } catch (error) {
    throw new MockStartError(writeErrorMessage(truth.file, error), { cause: error });
  }
  const close = (): void => {
    if (file !== null) closeSync(file);
    file = null;
  };
  /** Writes each line at once, without a buffer, so that no line is lost. */
  const write = (line: RequestTraceLine): void => {
    recentLines.add(line);
    try {
      if (file !== null) writeFileSync(file, `${JSON.stringify(line)}\n`);
    } catch (error) {
      close();
      problem = writeErrorMessage(truth.file, error);
    }
  };
  return {
    startTrace: (exchange: TracedExchange, clock: MockClock): RequestTrace => {
      const trace = startTrace(exchange, clock);
      exchange.response.once('close', () => write(trace.toLine()));
      return trace;
    },
    /** Returns the last lines, the number of lines that are no longer in memory, and the error of writing the file. */
    recent: () => ({ dropped: recentLines.dropped, problem, lines: recentLines.items() }),
    close,
  };
};

export type RequestTraceLog = NonNullable<ReturnType<typeof openRequestTraceLog>>;

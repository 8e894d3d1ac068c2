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

const startTrace = (exchange: TracedExchange, clock: MockClock) => {
  const { id: requestId, request, response } = exchange;
  const accepted = clock.now();
  const written = request.socket.bytesWritten;
  /** The due and sent times of the tokens, alternating. */
  const tokens: number[] = [];
  let read: number | null = null;
  let fields: HandlerFields = noHandlerFields;
  request.once('end', () => {
    read = clock.now();
  });
  return {
    setFields: (set: Partial<HandlerFields>): void => {
      fields = { ...fields, ...set };
    },
    /** Records a token that is about to be written to the socket. */
    recordToken: (due: number): void => void tokens.push(due, clock.now()),
    /** The complete trace, once the connection is done with the request. */
    toLine: (): RequestTraceLine => ({
      requestId,
      key: exchange.keyIndex,
      accepted,
      ...fields,
      read,
      due: tokens.filter((_, i) => i % 2 === 0),
      sent: tokens.filter((_, i) => i % 2 === 1),
      bytes: request.socket.bytesWritten - written,
      ended: clock.now(),
      end: exchange.end,
      fault: exchange.fault,
      status: response.headersSent ? response.statusCode : null,
    }),
  };
};
export type RequestTrace = ReturnType<typeof startTrace>;

const writeErrorMessage = (path: string | null, error: unknown): string =>
  `The mock cannot write its trace log to ${path}: ${error instanceof Error ? error.message : String(error)}.`;

/** Opens the log of the settings. Throws a `MockStartError` if its file cannot be written. */
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
  /** Writes each line at once, without a buffer, so that none is lost. */
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
    /** Starts the trace of a request; its line is written when the connection is done with it. */
    startTrace: (exchange: TracedExchange, clock: MockClock): RequestTrace => {
      const trace = startTrace(exchange, clock);
      exchange.response.once('close', () => write(trace.toLine()));
      return trace;
    },
    /** The last lines, oldest first, how many were dropped from memory, and the error of the file. */
    recent: () => ({ dropped: recentLines.dropped, problem, lines: recentLines.items() }),
    close,
  };
};

export type RequestTraceLog = NonNullable<ReturnType<typeof openRequestTraceLog>>;

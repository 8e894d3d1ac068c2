import type { Instant } from '../quantity.ts';

/**
 * The transport's port: push, not pull. A transport sends one request and tells an observer what
 * comes back, with one clock reading per socket read, taken when the read returns and before any
 * parsing. It never retries, never follows redirects, never queues and keeps no deadlines: the engine
 * does, and aborts.
 */

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query below the base address, beginning with a slash, for example `/chat/completions`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Why no complete answer came. A closed set: reports group by it, tests name each. */
export const brokenCauses = [
  'connect-refused',
  'connect-unreachable',
  'connect-reset',
  'name-not-resolved',
  'tls',
  'proxy',
  'deadline-connect',
  'deadline-first-token',
  'deadline-idle',
  'deadline-total',
  'reset',
  'closed-early',
  'closed-on-reuse',
  'protocol',
  'too-large',
  'out-of-sockets',
  'aborted',
  'internal',
] as const;
export type BrokenCause = (typeof brokenCauses)[number];

/** How an exchange's connection came about. */
export type ConnectionReuse = 'new' | 'reused';

/**
 * What a transport tells of one exchange. Order: `onConnected`, `onSent`, then `onHeaders`,
 * `onChunk`… and at last exactly one of `onEnd` and `onFailure`; a failure may come at any point.
 */
export interface ExchangeObserver {
  /**
   * The connection is ready: established (`new`) or taken from those kept alive (`reused`). Told
   * a second time when a kept connection turned out closed and was opened anew: the last one holds.
   */
  onConnected(at: Instant, connection: ConnectionReuse): void;
  /** Called immediately before the first byte of the request is written. */
  onSent(at: Instant): void;
  /** The complete head of the final response (1xx are skipped). Names in lower case; repeated headers joined by `, `. */
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  /** Body bytes, content-decoded only by chunked framing. The bytes are valid during the call only: copy what is kept. */
  onChunk(at: Instant, bytes: Uint8Array): void;
  /** The body is complete. */
  onEnd(at: Instant): void;
  /** No complete answer will come. `detail` is a short sentence for people, without secrets. */
  onFailure(at: Instant, cause: BrokenCause, detail: string): void;
}

/** A running exchange. */
export interface Exchange {
  /** Ends it now: the observer's `onFailure` is called with `cause`, unless it has ended. */
  abort(cause: BrokenCause, detail: string): void;
}

export interface Transport {
  send(request: WireRequest, observer: ExchangeObserver): Exchange;
  /** Destroys every connection, those on their way included, and waits until they are gone. */
  close(): Promise<void>;
}

/** What speaks to the target: our own HTTP/1.1, or undici, the general client. */
export const transportNames = ['undici', 'socket'] as const;
export type TransportName = (typeof transportNames)[number];

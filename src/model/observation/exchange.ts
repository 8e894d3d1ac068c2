import type { Instant } from '../quantity.ts';

/**
 * The transport's port: push, not pull. A transport sends one request and reports the response to an
 * observer, with one clock reading per socket read, taken when the read returns and before any
 * parsing. It never retries, redirects or enforces deadlines: the engine does, and aborts. Only a request that
 * met a connection which the server had closed, and that the server provably cannot have read, goes once
 * more on a new connection.
 */

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query below the base address, with a leading slash, for example `/chat/completions`. */
  readonly path: string;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

/** Why there is no complete answer; reports group by it. */
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

/** How a request got its connection: `new` is opened for it, `ahead` was opened before it was due and unused, `reused` had requests before. */
export const connectionOrigins = ['new', 'ahead', 'reused'] as const;
export type ConnectionOrigin = (typeof connectionOrigins)[number];

/**
 * What a transport reports of one exchange. Order: `onConnected`, `onSent`, perhaps once `onReconnect` and the
 * first two again, `onHeaders`, `onChunk`… and finally exactly one of `onEnd` and `onFailure`; a failure can come
 * at any point.
 */
export interface ExchangeObserver {
  /**
   * The connection is ready: established (`new`, `ahead`) or kept alive (`reused`). If it is called a second time,
   * the last call counts.
   */
  onConnected(at: Instant, connection: ConnectionOrigin): void;
  /** Called immediately before the first byte of the request is written. */
  onSent(at: Instant): void;
  /**
   * The server had closed the connection before it can have read the request: it goes once more on a new connection,
   * which `onConnected` and `onSent` report again.
   */
  onReconnect(at: Instant): void;
  /** The complete head of the final response (1xx are skipped). Names in lower case, repeated headers joined by `, `. */
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  /** Body bytes without chunked framing. They are valid during the call only: copy what you keep. */
  onChunk(at: Instant, bytes: Uint8Array): void;
  onEnd(at: Instant): void;
  /** There will be no complete answer. `detail` is a short error message without secrets. */
  onFailure(at: Instant, cause: BrokenCause, detail: string): void;
}

export interface Exchange {
  /** Ends the exchange now and calls `onFailure` with `cause`, unless it has ended. */
  abort(cause: BrokenCause, detail: string): void;
  /** Passes on what was read and waits for its turn, before a decision that depends on what has come; absent where nothing waits. */
  catchUp?(): void;
}

export interface Transport {
  send(request: WireRequest, observer: ExchangeObserver): Exchange;
  /**
   * Opens connections until `count` are idle or being opened, a few each turn of the event loop; requests that begin take them.
   * After one that fails none is opened ahead until a request has succeeded and a while has passed; nothing else depends on it. Does nothing by undici.
   */
  connectAhead(count: number): void;
  /** How the server treats connections, as observed: sentences for the report. */
  notes(): readonly string[];
  /** Destroys every connection, including those being established, and waits until they are gone. */
  close(): Promise<void>;
}

/** Weir's own HTTP/1.1 client (`socket`), or undici, the general client. */
export const transportNames = ['undici', 'socket'] as const;
export type TransportName = (typeof transportNames)[number];

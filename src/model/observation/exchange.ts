import type { Instant } from '../quantity.ts';

/**
 * The port of transports. A transport sends one request and reports the response to an observer. It reads the clock
 * once for each read from the socket, before it parses anything. It never retries, redirects or enforces deadlines; the
 * engine does, and aborts. There is one exception: if the server had closed the connection and provably cannot have
 * read the request, the request is sent once more on a new connection.
 */

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** The path and query below the base address, such as `/chat/completions`. */
  readonly path: string;
  /** The headers, with lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

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

/** The origins of a request's connection: opened for it, opened before it was due, or used before. */
export const connectionOrigins = ['new', 'ahead', 'reused'] as const;
export type ConnectionOrigin = (typeof connectionOrigins)[number];

/**
 * Receives the events of one exchange, in this order: `onConnected`, `onSent`, perhaps once `onReconnect` and the
 * first two again, `onHeaders`, `onChunk`…, then either `onEnd` or `onFailure`, which can come at any point.
 */
export interface ExchangeObserver {
  /** Called when the connection is established, or was kept alive if `reused`. A second call replaces the first. */
  onConnected(at: Instant, connection: ConnectionOrigin): void;
  /** Called before the first byte of the request is written. */
  onSent(at: Instant): void;
  /** Called if the server had closed the connection, so that the request is sent once more on a new one. */
  onReconnect(at: Instant): void;
  /**
   * Called with the head of the final response, not of a 1xx. Names are in lower case; the values of repeated headers
   * are joined by `, `.
   */
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Called with bytes of the body, without chunked framing. They are valid only during the call and must be copied to
   * be kept.
   */
  onChunk(at: Instant, bytes: Uint8Array): void;
  onEnd(at: Instant): void;
  /** Called if there will be no complete answer. `detail` contains no secrets. */
  onFailure(at: Instant, cause: BrokenCause, detail: string): void;
}

export interface Exchange {
  /** Ends the exchange now by a call of `onFailure`, unless it has already ended. */
  abort(cause: BrokenCause, detail: string): void;
  /** Delivers reads that still wait, before a decision that depends on them; absent if reads never wait. */
  catchUp?(): void;
}

export interface Transport {
  send(request: WireRequest, observer: ExchangeObserver): Exchange;
  /**
   * Opens connections, a few each turn of the event loop, until `count` are idle or being opened. After one fails,
   * no more are opened until a request has succeeded and a while has passed. Undici ignores it.
   */
  connectAhead(count: number): void;
  /** Returns sentences for the report on how the server treats connections. */
  notes(): readonly string[];
  /** Destroys every connection, and waits until they are gone. */
  close(): Promise<void>;
}

/** Weir's own HTTP/1.1 client (`socket`), or undici, the general client. */
export const transportNames = ['undici', 'socket'] as const;
export type TransportName = (typeof transportNames)[number];

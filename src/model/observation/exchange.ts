import type { Instant } from '../quantity.ts';

/**
 * This file defines the interface of a transport. A transport sends one request and reports the response to an
 * observer. A transport reads the clock once for each read from the socket, before parsing the bytes. A transport never
 * follows redirects. The engine, not the transport, retries, enforces deadlines and aborts exchanges, with one
 * exception: if the server closed the connection and certainly did not read the request, the transport sends the
 * request again on a new connection.
 */

export interface WireRequest {
  readonly method: 'GET' | 'POST';
  /** The path and query, which are appended to the base address, such as `/chat/completions`. */
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

/**
 * The origins of a request's connection. `new`: opened for this request. `ahead`: opened before the request was due.
 * `reused`: used by an earlier request.
 */
export const connectionOrigins = ['new', 'ahead', 'reused'] as const;
export type ConnectionOrigin = (typeof connectionOrigins)[number];

/**
 * Receives the events of one exchange in this order: `onConnected`, `onSent`, `onHeaders`, `onChunk` (any number of
 * times) and `onEnd`. If the server had closed the connection, `onReconnect`, `onConnected` and `onSent` come after the
 * first `onSent`. `onFailure` can end the exchange at any point.
 */
export interface ExchangeObserver {
  /**
   * Called when the request has a connection. `connection` is `reused` if an earlier request used the connection. A
   * second call replaces the first call.
   */
  onConnected(at: Instant, connection: ConnectionOrigin): void;
  /** Called before the first byte of the request is written. */
  onSent(at: Instant): void;
  /** Called if the server had closed the connection. The transport then sends the request again on a new connection. */
  onReconnect(at: Instant): void;
  /**
   * Called with the head of the final response, but not with the head of a 1xx response. Header names are in lower
   * case; the values of repeated headers are joined by `, `.
   */
  onHeaders(at: Instant, status: number, headers: Readonly<Record<string, string>>): void;
  /**
   * Called with bytes of the body, without chunked framing. The bytes are valid only during the call, so an observer
   * must copy the bytes that are needed later.
   */
  onChunk(at: Instant, bytes: Uint8Array): void;
  onEnd(at: Instant): void;
  /** Called if the answer will not be completed. `detail` contains no secrets. */
  onFailure(at: Instant, cause: BrokenCause, detail: string): void;
}

export interface Exchange {
  /** Ends the exchange at once and calls `onFailure`, unless the exchange has already ended. */
  abort(cause: BrokenCause, detail: string): void;
  /**
   * Delivers the reads that wait in the event loop. Called before a decision that depends on them; absent if reads
   * never wait.
   */
  catchUp?(): void;
  /** Returns whether a part of the request is still in this process; absent if the transport cannot know. */
  hasUnwritten?(): boolean;
}

export interface Transport {
  send(request: WireRequest, observer: ExchangeObserver): Exchange;
  /**
   * Opens connections, a few in each turn of the event loop, until `count` connections are idle or being opened. After
   * a connection has failed to open, the transport opens no more until a request has succeeded and some time has
   * passed. The undici transport does nothing.
   */
  connectAhead(count: number): void;
  /** Returns sentences for the report about how the server treats connections. */
  notes(): readonly string[];
  /** Destroys every connection. The promise resolves when all connections are gone. */
  close(): Promise<void>;
}

/** The transports: `socket` is Weir's own HTTP/1.1 client, `undici` the general client. */
export const transportNames = ['undici', 'socket'] as const;
export type TransportName = (typeof transportNames)[number];

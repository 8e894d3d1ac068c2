import type { Exchange, ExchangeObserver, WireRequest } from './exchange.ts';

/**
 * This file defines a client that saturates the target. Each of its connections sends its requests one after another,
 * again and again.
 */
export interface SaturatingClient {
  start(batch: RequestBatch): SaturatingRun;
}

export interface RequestBatch {
  /** The list of requests of each connection. */
  readonly requests: readonly (readonly WireRequest[])[];
  /**
   * Returns the observer of a request. The client calls this function with the indexes of the connection and of the
   * request, before it sends the request. If the observer aborts its exchange, a new connection replaces the old one.
   */
  readonly observerFor: (
    connection: number,
    request: number,
    exchange: Exchange,
  ) => ExchangeObserver;
}

export interface SaturatingRun {
  /** Stops sending. Requests in flight may still end. */
  stop(): void;
  /** Returns sentences for the report about how the server treats connections. */
  notes(): readonly string[];
  /** Destroys every connection, and resolves when all are gone. */
  close(): Promise<void>;
}

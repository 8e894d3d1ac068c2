import type { Exchange, ExchangeObserver, WireRequest } from './exchange.ts';

/**
 * This file defines a client that saturates the target. Each connection of the client sends its list of requests one
 * after another, again and again.
 */
export interface SaturatingClient {
  start(batch: RequestBatch): SaturatingRun;
}

export interface RequestBatch {
  /** The requests, as one list for each connection. */
  readonly requests: readonly (readonly WireRequest[])[];
  /**
   * Returns the observer of a request. Before sending a request, the client calls this function with the index of the
   * connection and the index of the request. If the observer aborts its exchange, a new connection replaces the old
   * one.
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
  /** Destroys every connection. The promise resolves when all connections are gone. */
  close(): Promise<void>;
}

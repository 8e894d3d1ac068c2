import type { Exchange, ExchangeObserver, WireRequest } from './exchange.ts';

/** The port of a client that saturates the target: each connection sends its requests in turn, again and again. */
export interface SaturatingClient {
  start(batch: RequestBatch): SaturatingRun;
}

export interface RequestBatch {
  /** The requests of each connection. */
  readonly requests: readonly (readonly WireRequest[])[];
  /**
   * Returns the observer of a request, by the indexes of both. It is called before the request is sent. Aborting the
   * exchange replaces the connection.
   */
  readonly observerFor: (
    connection: number,
    request: number,
    exchange: Exchange,
  ) => ExchangeObserver;
}

export interface SaturatingRun {
  /** Sends no further requests; those in flight can end. */
  stop(): void;
  /** Returns sentences for the report on how the server treats connections. */
  notes(): readonly string[];
  /** Destroys every connection, and waits until they are gone. */
  close(): Promise<void>;
}

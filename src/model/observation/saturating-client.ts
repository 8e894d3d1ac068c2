import type { Exchange, ExchangeObserver, WireRequest } from './exchange.ts';

/** The port of a client that saturates the target: each connection sends its requests in turn, again and again. */
export interface SaturatingClient {
  start(batch: RequestBatch): SaturatingRun;
}

export interface RequestBatch {
  /** One list for each connection. */
  readonly requests: readonly (readonly WireRequest[])[];
  /** Called before a connection sends a request, with their indexes. Aborting the exchange replaces the connection. */
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

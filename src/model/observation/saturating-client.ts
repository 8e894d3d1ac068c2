import type { Exchange, ExchangeObserver, WireRequest } from './exchange.ts';

/**
 * The port of a client that runs flat out: each of its connections sends its prepared requests in
 * turn, again and again, the next one the moment the one before has ended, whatever came of it.
 */
export interface SaturatingClient {
  /** Begins at once. */
  start(batch: RequestBatch): SaturatingRun;
}

export interface RequestBatch {
  /** One list for each connection. */
  readonly requests: readonly (readonly WireRequest[])[];
  /**
   * Called immediately before a connection sends a request, with their places; what is returned is told what
   * comes back. An exchange that is aborted gives its connection up: it is made anew.
   */
  readonly observerFor: (
    connection: number,
    request: number,
    exchange: Exchange,
  ) => ExchangeObserver;
}

export interface SaturatingRun {
  /** Nothing more is sent; what is in flight may end. */
  stop(): void;
  /** Destroys every connection and waits until they are gone. */
  close(): Promise<void>;
}

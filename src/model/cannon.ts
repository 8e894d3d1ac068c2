import type { Exchange, ExchangeObserver, WireRequest } from './exchange.ts';

/**
 * The port of a client that runs flat out: each of its connections sends its prepared requests in
 * turn, again and again, the next one the moment the one before has ended, whatever came of it.
 */
export interface Cannon {
  /** Begins at once. */
  fire(volley: Volley): Firing;
}

export interface Volley {
  /** One list for each connection. */
  readonly requests: readonly (readonly WireRequest[])[];
  /**
   * Called immediately before a connection sends a request, with their places; what is returned is told what
   * comes back. An exchange that is aborted gives its connection up: it is made anew.
   */
  readonly begin: (connection: number, request: number, exchange: Exchange) => ExchangeObserver;
}

export interface Firing {
  /** Nothing more is sent; what is in flight may end. */
  cease(): void;
  /** Destroys every connection and waits until they are gone. */
  close(): Promise<void>;
}

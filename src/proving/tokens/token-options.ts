import type { ServerOptions } from '../harness/server-process.ts';

/** What a token gateway is started with. */
export interface TokenOptions extends ServerOptions {
  /** Tokens, and requests, in a minute. */
  readonly tokens: number;
  readonly requests: number;
  /** The length of the window in ms, if it is no minute. */
  readonly window?: number;
}

import type { LoggedRequest } from '../harness/server-log.ts';
import type { RunningServer, ServerOptions } from '../harness/server-process.ts';

/** Totals of tokens by a server's own count. */
export interface ServerTokens {
  readonly input: number;
  readonly output: number;
}

export interface StartedServer extends RunningServer {
  readonly version: string;
  /** The tokens that it has counted since its start; absent if it does not. */
  readonly countTokens?: () => Promise<ServerTokens>;
  /** Reads the requests from the server's journal; absent if they are in the server's log. */
  readonly readRequests?: () => Promise<readonly LoggedRequest[]>;
  /** Options of the command line without which it answers nothing. */
  readonly words?: readonly string[];
}

/** A server of others, and what a run against it sends. */
export interface ServerCase {
  readonly name: string;
  /** Starts it and resolves once it answers. Throws `Unavailable` if it cannot be had here. */
  readonly start: (options: ServerOptions) => Promise<StartedServer>;
  /** The traffic, load and wire of the scenario. */
  readonly scenario: Readonly<Record<string, unknown>>;
  readonly model: string;
  /** The most tokens of a stream. */
  readonly maxTokens: number;
  /** Whether it logs each request with its id; otherwise only tokens are compared. */
  readonly hasLog: boolean;
}

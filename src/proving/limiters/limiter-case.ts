import type { LimiterClass } from '../../model/limits/limit-log.ts';
import type { RunningServer, ServerOptions } from '../harness/server-process.ts';

/** What a gateway with a limiter is started with. */
export interface GatewayOptions extends ServerOptions {
  readonly limit: number;
  /** In ms. */
  readonly window: number;
  /** The most tokens in a window; absent for more than an examination spends. */
  readonly tokens?: number | undefined;
}

export interface StartedGateway extends RunningServer {
  /** The limiter's version. */
  readonly version: string;
}

/** A fault that is planted in a limiter; what a source does by itself is none. */
export interface PlantedFault {
  readonly what: string;
  /** Factors on what the limiter is configured with; what is declared stays. */
  readonly limit?: number;
  readonly window?: number;
  /** Further words for the gateway. */
  readonly words?: readonly string[];
}

/** A limiter that others wrote, and what its source says about it. */
export interface LimiterCase {
  readonly name: string;
  /** Starts a gateway behind it and resolves once it answers. Throws `Unavailable` if it cannot be had here. */
  readonly start: (options: GatewayOptions, words: readonly string[]) => Promise<StartedGateway>;
  /** The classes of `weir limits` that describe its decision rule; empty if none does. */
  readonly classes: readonly LimiterClass[];
  /** The most tokens in a window, declared and configured; absent if it limits none. */
  readonly tokens?: number;
  /** What its source says of how tokens are charged, as a part of what `weir limits` says. */
  readonly charges?: string;
  /** Whether its source begins a window anew now and then before the last one is over; an accusation is true where its headers show that. */
  readonly restarts?: true;
  /** Absent if it keeps at most the limit a window, as any family of limiters does. */
  readonly fault?: PlantedFault;
}

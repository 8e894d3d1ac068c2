import type { RunningServer } from '../harness/server-process.ts';

/** What a gateway with a limiter is started with. */
export interface GatewayOptions {
  readonly limit: number;
  /** In ms. */
  readonly window: number;
  readonly port: number;
  /** The file that its own log of requests goes to. */
  readonly log: string;
  /** A folder of its own for further files. */
  readonly folder: string;
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
  readonly registry: 'npm' | 'PyPI' | 'Go' | 'Maven' | 'Debian';
  /**
   * Starts a gateway behind it and resolves once it answers. Throws `Unavailable` if its registry cannot be
   * reached.
   */
  readonly start: (options: GatewayOptions, words: readonly string[]) => Promise<StartedGateway>;
  /** The classes of `weir limits` that describe its decision rule; empty if none does. */
  readonly classes: readonly string[];
  /** Whether it keeps at most the limit a window, as any family of limiters does. */
  readonly isCompliant: boolean;
  readonly fault?: PlantedFault;
}

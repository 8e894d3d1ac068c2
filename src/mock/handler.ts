import type { Allowance } from './allowance.ts';
import type { MockClock } from './clock.ts';
import type { Purchase } from './credits.ts';
import type { Exchange } from './exchange.ts';
import type { Settings } from './settings.ts';

/** A request past path, key, credits and limits, with what is needed to answer it. */
export interface Admitted {
  readonly exchange: Exchange;
  readonly key: string;
  readonly allowance: Allowance;
  /** Charges the key's credits and counts what was billed. */
  readonly buy: (purchase: Purchase) => void;
  readonly settings: Settings;
  readonly clock: MockClock;
}

/** Answers the requests of one route. */
export type Handler = (admitted: Admitted) => void;

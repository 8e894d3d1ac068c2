import type { Allowance } from './allowance.ts';
import type { MockClock } from './clock.ts';
import type { Exchange } from './exchange.ts';
import type { Settings } from './settings.ts';

/** A request past path, key and limits, with what is needed to answer it. */
export interface Admitted {
  readonly exchange: Exchange;
  readonly key: string;
  readonly allowance: Allowance;
  readonly settings: Settings;
  readonly clock: MockClock;
}

/** Answers the requests of one route. */
export type Handler = (admitted: Admitted) => void;

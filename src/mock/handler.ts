import type { MockClock } from './clock.ts';
import type { Purchase } from './credits.ts';
import type { Exchange } from './exchange.ts';
import type { LimitHeaders, Permit, Stopped } from './limits/allowance.ts';
import type { Serving } from './serving/serving.ts';
import type { Settings } from './settings.ts';

/** A request past path, key, credits and limits, with what is needed to answer it. */
export interface Admitted {
  readonly exchange: Exchange;
  readonly key: string;
  readonly permit: Permit;
  /** Answers with the 429 of a limit that is only known to be short once the request is read. */
  readonly limited: (stopped: Stopped & { readonly headers: LimitHeaders }) => void;
  /** Charges the key's credits and counts what was billed. */
  readonly buy: (purchase: Purchase) => void;
  readonly serving: Serving;
  readonly settings: Settings;
  readonly clock: MockClock;
}

/** Answers the requests of one route. */
export type Handler = (admitted: Admitted) => void;

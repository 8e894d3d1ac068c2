import type { MockClock } from '../clock/mock-clock.ts';
import type { CreditCharge } from '../counters/credit-accounts.ts';
import type { MockExchange } from './mock-exchange.ts';
import type { LimitHeaders, Permit, LimitExceeded } from '../limits/key-limiter.ts';
import type { Serving } from '../serving/serving.ts';
import type { Settings } from '../settings/settings.ts';

/** A request past path, key, credits and limits, with what is needed to answer it. */
export interface AdmittedRequest {
  readonly exchange: MockExchange;
  readonly key: string;
  readonly permit: Permit;
  /** Answers with the 429 of a limit that is only known to be short once the request is read. */
  readonly refuseByLimit: (stopped: LimitExceeded & { readonly headers: LimitHeaders }) => void;
  /** Charges the key's credits and counts what was billed. */
  readonly bill: (purchase: CreditCharge) => void;
  readonly serving: Serving;
  readonly settings: Settings;
  readonly clock: MockClock;
}

/** Answers the requests of one route. */
export type Handler = (admitted: AdmittedRequest) => void;

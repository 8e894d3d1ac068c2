import type { MockClock } from '../clock/mock-clock.ts';
import type { CreditCharge } from '../counters/credit-accounts.ts';
import type { MockExchange } from './mock-exchange.ts';
import type { Permit, LimitExceeded } from '../limits/key-limiter.ts';
import type { Serving } from '../serving/serving.ts';
import type { Settings } from '../settings/settings.ts';

/** A request that passed the checks of path, key, credits and limits. */
export interface AdmittedRequest {
  readonly exchange: MockExchange;
  readonly key: string;
  readonly permit: Permit;
  /** Answers with the 429 of a limit that is exceeded only after the body is read. */
  readonly refuseByLimit: (exceeded: LimitExceeded) => void;
  /** Charges the key's credits and counts the amount. */
  readonly bill: (charge: CreditCharge) => void;
  readonly serving: Serving;
  readonly settings: Settings;
  readonly clock: MockClock;
}

export type Handler = (admitted: AdmittedRequest) => void;

import type { LimitCheck, LimiterClass } from './limit-log.ts';
import type { LimitedUnit, RefusalForm } from './ledger.ts';

/** What the ledger of an ordinary run proves about the limits of its keys, without any request of its own. */

/** How much of a limit was let through within one minute at its fullest: surely, and possibly (`null` where some of it is unknown). */
export interface Fullest {
  readonly least: number;
  readonly most: number | null;
}

/** How what refusals promised compares with when the key was let in again. */
export interface Promised {
  readonly exact: number;
  readonly conservative: number;
  readonly deceptive: number;
  /** Nothing was let in afterwards. */
  readonly unknown: number;
  readonly absent: number;
}

/** All 429s of one key. Instants in ms since the run began. */
export interface KeyRefusals {
  readonly count: number;
  readonly first: number;
  readonly last: number;
  /** How many named each limit; `none` those that named none. */
  readonly units: Readonly<Partial<Record<LimitedUnit | 'none', number>>>;
  readonly forms: Readonly<Partial<Record<RefusalForm, number>>>;
  readonly retryAfter: Promised;
  readonly resetTime: Promised;
  /** Stretches in which nothing was let in, from their first 429 until something was. */
  readonly stretches: number;
  /** The longest of them in ms, at most; `null` when nothing was let in again. */
  readonly longestStretch: number | null;
}

/** What is proved of one key. */
export interface KeyLimits {
  readonly key: string;
  readonly requests: Fullest;
  readonly tokens: Fullest;
  readonly refusals: KeyRefusals | null;
  /** The classes of limiters that explain the first decisions; `null` where nothing was refused or a run of several slices has no common clock. */
  readonly explainedBy: readonly LimiterClass[] | null;
  readonly checks: readonly LimitCheck[];
}

/** What is proved of all keys of a run. */
export interface RunLimits {
  readonly keys: readonly KeyLimits[];
  /** Which classes the scenario permits; `null` when it does not ask for a verdict. */
  readonly permitted: readonly LimiterClass[] | null;
  /** Whether a limit is violated: exit 14. Only where the scenario asks for a verdict. */
  readonly violated: boolean;
}

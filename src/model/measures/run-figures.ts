import type { Group, OutcomeCounts, TimelineSecond } from './counts.ts';
import type { Observation } from '../observation/observation.ts';
import { countArrivals, countFailed } from './outcome-counts.ts';
import type { TrafficKind } from '../workload/traffic.ts';

/**
 * This file defines the figures of a run that are not distributions: counts, shares and rates, by the names that
 * objectives use.
 */

export interface CountedArrivals {
  readonly outcomes: OutcomeCounts;
  /** The outcomes of the arrivals without a planned hang-up; absent if no arrival has a planned hang-up. */
  readonly awaited?: OutcomeCounts;
  readonly sent: number;
  readonly metAllObjectives: number;
  /** The number of answers with the finish reason of the objective; `null` if the result has no finish reasons. */
  readonly finished: number | null;
}

interface Count {
  readonly definition: string;
  readonly of: (counted: CountedArrivals) => number;
}

/** A number of arrivals, divided by all arrivals that were due. `of` returns the number; `null` if it is unknown. */
interface Share {
  readonly definition: string;
  readonly of: (counted: CountedArrivals) => number | null;
}

interface Rate {
  readonly definition: string;
  /**
   * Returns the number of arrivals or tokens in one second. If `byTraffic` is true, only the given traffic kinds count.
   */
  readonly of: (second: TimelineSecond, kinds: readonly TrafficKind[]) => number;
  readonly byTraffic: boolean;
  /**
   * Returns whether an arrival counts in the second of its end. The function is `null` if the rate is only known after
   * the run.
   */
  readonly countsAtEnd: ((observation: Observation) => boolean) | null;
  /** Returns whether a group has data for the rate. If no group has data, the rate is unknown, not 0. */
  readonly hasData: (group: Group) => boolean;
}

const outcome = (kind: keyof OutcomeCounts, definition: string): Count => ({
  definition,
  of: ({ outcomes }) => outcomes[kind],
});

export const counts = {
  due: {
    definition: 'Every arrival of the schedule.',
    of: ({ outcomes }) => countArrivals(outcomes),
  },
  sent: { definition: 'Requests whose first byte was written.', of: ({ sent }) => sent },
  completed: outcome('completed', 'Complete answers that conform to the contract.'),
  failed: {
    definition: 'Arrivals that neither completed nor were cancelled.',
    of: ({ outcomes }) => countFailed(outcomes),
  },
  limited: outcome('limited', 'Answered 429.'),
  refused: outcome('refused', 'Answered with any other status outside 2xx.'),
  malformed: outcome('malformed', 'Answered 2xx, but the answer breaks the contract.'),
  broken: outcome('broken', 'No complete answer.'),
  dropped: outcome('dropped', 'Due but never sent.'),
  cancelled: outcome('cancelled', 'The client hung up, as the scenario says.'),
} as const satisfies Record<string, Count>;

export const shares = {
  errorRate: {
    definition: 'Failed arrivals, including 429s, of all arrivals that were due.',
    of: ({ outcomes }) => countFailed(outcomes),
  },
  faultRate: {
    definition:
      'Refused, malformed, broken and dropped arrivals of all that were due; 429s do not count.',
    of: ({ outcomes }) => countFailed(outcomes) - outcomes.limited,
  },
  limitedRate: outcome('limited', 'Arrivals answered 429, of all that were due.'),
  goodput: {
    definition:
      'Requests that met every per-request objective, of all arrivals due, hang-ups left out.',
    of: ({ metAllObjectives }) => metAllObjectives,
  },
  finish: {
    definition:
      'Chats that ended, complete or failed, for the finish reason of the label `reason`, of all arrivals that were due.',
    of: ({ finished }) => finished,
  },
} as const satisfies Record<string, Share>;

const rate = (
  definition: string,
  of: Rate['of'],
  { hasData = () => true, ...special }: Partial<Rate> = {},
): Rate => ({ definition, of, byTraffic: false, countsAtEnd: null, hasData, ...special });

const completedOf = ({ completed }: TimelineSecond, kinds: readonly TrafficKind[]): number =>
  kinds.reduce((sum, kind) => sum + (completed[kind] ?? 0), 0);

export const rates = {
  offeredRate: rate('Arrivals due per second.', ({ due }) => due),
  sentRate: rate('Requests sent per second.', ({ sent }) => sent),
  completedRate: rate(
    'Completed answers per second, counted in the second of their end.',
    completedOf,
    { byTraffic: true, countsAtEnd: (observation) => observation.outcome.kind === 'completed' },
  ),
  inputTokenRate: rate(
    'Input tokens of completed answers per second.',
    ({ inputTokens }) => inputTokens,
    { hasData: ({ tokens }) => tokens.some(({ answersWithInput }) => answersWithInput > 0) },
  ),
  outputTokenRate: rate(
    'Output tokens of completed answers per second.',
    ({ outputTokens }) => outputTokens,
    { hasData: ({ tokens }) => tokens.length > 0 },
  ),
} as const satisfies Record<string, Rate>;

/** Shares of prompt tokens. Only completed answers that report cached tokens count. */
export const tokenShares = {
  cacheHits: {
    definition: 'Prompt tokens from a cache, of the answers that report it.',
  },
} as const satisfies Record<string, { readonly definition: string }>;

export type CountName = keyof typeof counts;
export type ShareName = keyof typeof shares;
export type RateName = keyof typeof rates;
export type TokenShareName = keyof typeof tokenShares;
export const countNames = Object.keys(counts) as readonly CountName[];
export const shareNames = Object.keys(shares) as readonly ShareName[];
export const rateNames = Object.keys(rates) as readonly RateName[];
export const tokenShareNames = Object.keys(tokenShares) as readonly TokenShareName[];

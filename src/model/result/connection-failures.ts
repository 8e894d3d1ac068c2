import type { BrokenCause } from '../observation/exchange.ts';
import type { Result } from './result.ts';

/**
 * The failures of the connection itself. `out-of-sockets` is not one of them: there, the load generator is the cause.
 */
export const connectionCauses = [
  'closed-on-reuse',
  'closed-early',
  'reset',
  'connect-refused',
  'connect-reset',
  'connect-unreachable',
  'deadline-connect',
  'name-not-resolved',
  'proxy',
  'tls',
] as const satisfies readonly BrokenCause[];
export type ConnectionCause = (typeof connectionCauses)[number];

/** A verdict mentions failures of connections if more than this share of all arrivals failed because of them. */
export const notableConnectionFailures = 0.01;

/** The requests of a run that failed because of their connections. */
export interface ConnectionFailures {
  readonly due: number;
  readonly failed: number;
  /** The number of requests by cause, the most frequent cause first. */
  readonly byCause: readonly { readonly cause: ConnectionCause; readonly count: number }[];
}

export const connectionFailuresOf = ({
  failures,
  timeline,
}: Pick<Result, 'failures' | 'timeline'>): ConnectionFailures => {
  const countOf = (cause: ConnectionCause): number =>
    failures
      .filter((failure) => failure.outcome === 'broken' && failure.cause === cause)
      .reduce((sum, { count }) => sum + count, 0);
  const byCause = connectionCauses
    .map((cause) => ({ cause, count: countOf(cause) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count);
  return {
    due: timeline.reduce((sum, second) => sum + second.due, 0),
    failed: byCause.reduce((sum, { count }) => sum + count, 0),
    byCause,
  };
};

import type { LimitRule, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { countBefore } from './decision-history.ts';

/** The share of admitted requests of a load that must be late, and how many at least. */
const minDelayedShare = 0.1;
const minDelayed = 3;

/** Answers at an even pace that take longer than these can be delayed themselves, or by a pause. */
const longQuantile = 0.9;

const latencyOf = ({ sent, answered }: LimiterDecision): number => answered - sent;

/** Admitted requests that came later than an even pace after the one before, and those that came sooner. */
const byPace = (log: readonly LimiterDecision[], spacing: number) => {
  const admitted = log.filter((each) => each.admitted).toSorted((a, b) => a.sent - b.sent);
  let latest = Number.NEGATIVE_INFINITY;
  const calm: LimiterDecision[] = [];
  const loaded: LimiterDecision[] = [];
  for (const decision of admitted) {
    (decision.sent - latest >= spacing ? calm : loaded).push(decision);
    latest = Math.max(latest, decision.answered);
  }
  return { calm, loaded };
};

/**
 * Whether a load is delayed by more than half the time between two requests of the limit: longer than
 * any answer at an even pace took, and longer than a server would need that answers one request after
 * the other. A limiter that decides at once does not explain that.
 */
export const isDelayed = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): boolean => {
  const spacing = window / limit;
  const { calm, loaded } = byPace(log, spacing);
  if (calm.length === 0) return false;
  const latencies = calm.map(latencyOf).sort((a, b) => a - b);
  const usual = latencies[Math.floor(latencies.length / 2)]!;
  const long = latencies[Math.floor(latencies.length * longQuantile)]!;
  const starts = Float64Array.from(log, ({ sent }) => sent).sort();
  const ends = Float64Array.from(log, ({ ended }) => ended).sort();
  const delayed = loaded.filter((decision) => {
    const others = countBefore(starts, decision.sent) - countBefore(ends, decision.sent);
    const queued = (Math.max(0, others) + 1) * usual;
    return latencyOf(decision) > Math.max(long, queued) + spacing / 2;
  });
  return delayed.length >= Math.max(minDelayed, minDelayedShare * loaded.length);
};

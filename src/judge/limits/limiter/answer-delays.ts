import type { LimitRule, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { countBefore } from './decision-history.ts';

/** The share of admitted requests of a load that must be late, and how many of these one after the other: a machine that stalls delays many, but at once. */
const minDelayedShare = 0.1;
const minDelayed = 3;

/** A machine that lacks time delays refusals, too, at least at this share of the rate; a limiter that lets a client wait before it refuses delays most of them. */
const machineContrast = 0.5;
const mostByMachine = 0.6;
const minRefusals = 5;

/** Answers at an even pace that take longer than these can be delayed themselves, or by a pause. */
const longQuantile = 0.9;

const latencyOf = ({ sent, answered }: LimiterDecision): number => answered - sent;

/** How many of these follow each other without overlapping. */
const inTurn = (decisions: readonly LimiterDecision[]): number => {
  let free = Number.NEGATIVE_INFINITY;
  return decisions
    .toSorted((a, b) => a.answered - b.answered)
    .filter(({ sent, answered }) => {
      if (sent < free) return false;
      free = answered;
      return true;
    }).length;
};

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

/** Requests at an even pace, so many at the least, show how long an answer takes. */
const minCalm = 5;

/**
 * The admitted requests of a load that were answered so late that their limiter may have made them wait: more than half the time
 * between two requests of the limit later than any answer at an even pace, and than a server would need that answers one
 * request after the other. `usual` is the median time of an answer at an even pace, in ms.
 */
export const lateAnswers = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): { readonly late: readonly LimiterDecision[]; readonly usual: number } => {
  const spacing = window / limit;
  const { calm, loaded } = byPace(log, spacing);
  if (calm.length < minCalm) return { late: [], usual: 0 };
  const latencies = calm.map(latencyOf).sort((a, b) => a - b);
  const usual = latencies[Math.floor(latencies.length / 2)]!;
  const starts = Float64Array.from(log, ({ sent }) => sent).sort();
  const ends = Float64Array.from(log, ({ ended }) => ended).sort();
  const late = loaded.filter((decision) => {
    const others = countBefore(starts, decision.sent) - countBefore(ends, decision.sent);
    const queued = (Math.max(0, others) + 1) * usual;
    return latencyOf(decision) > Math.max(latencies.at(-1)!, queued) + spacing / 2;
  });
  return { late, usual };
};

/**
 * Whether a limiter delays a load by more than half the time between two requests of the limit: longer
 * than any answer at an even pace took, and longer than a server would need that answers one request
 * after the other. A limiter that decides at once does not explain that, but a busy machine does.
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
  const isLate = (decision: LimiterDecision): boolean => {
    const others = countBefore(starts, decision.sent) - countBefore(ends, decision.sent);
    const queued = (Math.max(0, others) + 1) * usual;
    return latencyOf(decision) > Math.max(long, queued) + spacing / 2;
  };
  const delayed = loaded.filter(isLate);
  if (delayed.length < minDelayedShare * loaded.length || inTurn(delayed) < minDelayed)
    return false;
  const refused = log.filter(({ admitted }) => !admitted);
  const share = refused.filter(isLate).length / refused.length;
  const isByMachine =
    share >= (machineContrast * delayed.length) / loaded.length && share < mostByMachine;
  return refused.length < minRefusals || !isByMachine;
};

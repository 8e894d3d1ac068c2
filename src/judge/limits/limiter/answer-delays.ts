import type { LimitRule, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { countBefore } from '../facts/count-instants.ts';

/** The minimum share of late answers among the admitted requests of a load that is delayed. */
const minDelayedShare = 0.1;
/**
 * The minimum number of late answers that do not overlap. A machine that stalls delays many answers, but all at the
 * same time.
 */
const minDelayed = 3;

/**
 * The minimum ratio of the share of late refusals to the share of late admissions where a busy machine is the cause.
 * A busy machine delays both; a limiter that delays admissions refuses promptly.
 */
const minMachineContrast = 0.5;
/**
 * The share of late refusals above which a busy machine cannot be the cause. A limiter that waits before it refuses
 * delays most refusals.
 */
const maxMachineShare = 0.6;
/** The minimum number of refusals that can show a busy machine. */
const minRefusals = 5;

/**
 * The quantile of the latencies at an even pace above which a latency counts as long. A few answers are long at any
 * pace, for example because the machine paused.
 */
const longQuantile = 0.9;

const latencyOf = ({ sent, answered }: LimiterDecision): number => answered - sent;

/** Counts the largest number of decisions that do not overlap in time. */
const countInTurn = (decisions: readonly LimiterDecision[]): number => {
  let free = Number.NEGATIVE_INFINITY;
  return decisions
    .toSorted((a, b) => a.answered - b.answered)
    .filter(({ sent, answered }) => {
      if (sent < free) return false;
      free = answered;
      return true;
    }).length;
};

/**
 * Divides the admitted requests by pace. A request is calm if it was sent at least window / limit after the answer
 * before it and at least one window after the last refusal; the others are loaded. The limiter may still be exhausted,
 * and delay requests, until one window after a refusal.
 */
const divideByPace = (log: readonly LimiterDecision[], { limit, window }: LimitRule) => {
  const ordered = log.toSorted((a, b) => a.sent - b.sent);
  let latest = Number.NEGATIVE_INFINITY;
  let refused = Number.NEGATIVE_INFINITY;
  const calm: LimiterDecision[] = [];
  const loaded: LimiterDecision[] = [];
  for (const decision of ordered) {
    const { sent, answered, admitted } = decision;
    if (!admitted) {
      refused = Math.max(refused, answered);
      continue;
    }
    const isCalm = sent - latest >= window / limit && sent - refused >= window;
    (isCalm ? calm : loaded).push(decision);
    latest = Math.max(latest, answered);
  }
  return { calm, loaded };
};

/** The minimum number of requests at an even pace that show the longest usual latency. */
const minCalmRequests = 5;

/** The number of consecutive answers from which the speed of a serial server is computed. */
const serialRun = 8;

/**
 * Returns the time, in ms, that a server needs for each request if it answers one after the other: the shortest mean
 * time between two answers over any 8 consecutive ones, and at most `usual`.
 */
const serialTimeOf = (log: readonly LimiterDecision[], usual: number): number => {
  const answers = log
    .filter(({ admitted }) => admitted)
    .map(({ answered }) => answered)
    .toSorted((a, b) => a - b);
  return answers
    .slice(serialRun - 1)
    .reduce((least, last, i) => Math.min(least, (last - answers[i]!) / (serialRun - 1)), usual);
};

/**
 * Returns a check of whether an answer was late. It was if it took longer than `long`, and longer than a serial server
 * would have needed for all requests in flight, both by more than half of window / limit.
 */
const createLatenessCheck = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
  usual: number,
) => {
  const starts = Float64Array.from(log, ({ sent }) => sent).sort();
  const ends = Float64Array.from(log, ({ ended }) => ended).sort();
  const serial = serialTimeOf(log, usual);
  return (decision: LimiterDecision, long: number): boolean => {
    const others = countBefore(starts, decision.sent) - countBefore(ends, decision.sent);
    const queued = Math.max(0, others) * serial + usual;
    return latencyOf(decision) > Math.max(long, queued) + window / limit / 2;
  };
};

/**
 * Returns the latency, in ms, below which 90 % of answers at an even pace stay; 0 if fewer than 5 requests came at an
 * even pace.
 */
export const usualCalmAnswer = (log: readonly LimiterDecision[], rule: LimitRule): number => {
  const { calm } = divideByPace(log, rule);
  if (calm.length < minCalmRequests) return 0;
  const latencies = calm.map(latencyOf).sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * longQuantile)]!;
};

/**
 * Decides whether the limiter delays requests of a load instead of deciding at once. It does if at least 10 % of the
 * answers under load are later than 90 % of the calm ones, or if a few are later than every calm one. Lateness that a
 * serial server or a busy machine explains does not count.
 */
export const isDelayed = (log: readonly LimiterDecision[], rule: LimitRule): boolean => {
  const { calm, loaded } = divideByPace(log, rule);
  if (calm.length === 0) return false;
  const latencies = calm.map(latencyOf).sort((a, b) => a - b);
  const usual = latencies[Math.floor(latencies.length / 2)]!;
  const isLate = createLatenessCheck(log, rule, usual);
  const refused = log.filter(({ admitted }) => !admitted);
  const isShown = (long: number, share: number): boolean => {
    const delayed = loaded.filter((decision) => isLate(decision, long));
    if (delayed.length < share * loaded.length || countInTurn(delayed) < minDelayed) return false;
    const lateRefusals = refused.filter((decision) => isLate(decision, long));
    const refusedShare = lateRefusals.length / refused.length;
    const isByMachine =
      refusedShare >= (minMachineContrast * delayed.length) / loaded.length &&
      refusedShare < maxMachineShare;
    return refused.length < minRefusals || !isByMachine;
  };
  const long = latencies[Math.floor(latencies.length * longQuantile)]!;
  return (
    isShown(long, minDelayedShare) ||
    (calm.length >= minCalmRequests && isShown(latencies.at(-1)!, 0))
  );
};

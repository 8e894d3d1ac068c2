import type { LimitRule, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { countBefore } from '../facts/count-instants.ts';

/**
 * A limiter is judged to delay requests only if at least this share of the admitted requests under load was answered
 * late.
 */
const minDelayedShare = 0.1;
/**
 * The minimum number of late answers that do not overlap. A pause of the machine delays many answers at once. Such
 * answers overlap, so they count as one.
 */
const minDelayed = 3;

/**
 * A busy machine explains late admissions if refusals were late, too: if the share of late refusals is at least this
 * many times the share of late admissions. A limiter that delays admissions refuses promptly.
 */
const minMachineContrast = 0.5;
/**
 * If at least this share of the refusals is late, the cause is not a busy machine but the limiter: a limiter that waits
 * before each refusal delays most refusals.
 */
const maxMachineShare = 0.6;
const minRefusals = 5;

/**
 * A latency is long if it is above this quantile of the latencies of calm requests. The quantile is below 1, since a
 * few calm requests take long, too.
 */
const longQuantile = 0.9;

const latencyOf = ({ sent, answered }: LimiterDecision): number => answered - sent;

/** Returns how many decisions can be chosen so that no two of them overlap. */
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
 * Divides the admitted requests into calm and loaded requests. A request is calm if it was sent at least window / limit
 * after the previous answer, and at least a window after the last refusal. So the limiter is no longer exhausted when a
 * calm request is sent.
 */
const divideByPace = (log: readonly LimiterDecision[], { limit, window }: LimitRule) => {
  let latest = Number.NEGATIVE_INFINITY;
  let refused = Number.NEGATIVE_INFINITY;
  const calm: LimiterDecision[] = [];
  const loaded: LimiterDecision[] = [];
  for (const decision of log.toSorted((a, b) => a.sent - b.sent)) {
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

const minCalmRequests = 5;

/** The speed of a serial server is computed from this many consecutive answers. */
const serialRun = 8;

/**
 * Returns the time that a serial server needs for each request, in ms: the mean time from answer to answer in the
 * fastest 8 consecutive answers, but at most `usual`.
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
 * Returns a function that decides whether an answer is late. An answer is late if its latency exceeds both `long` and
 * the time that a serial server needs for all requests in flight. The latency must exceed each of the two by more than
 * half of window / limit.
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

const latenciesOf = (decisions: readonly LimiterDecision[]): readonly number[] =>
  decisions.map(latencyOf).sort((a, b) => a - b);

/** Returns the 90 % quantile of the latencies of calm answers, in ms; 0 if there are too few calm answers. */
export const usualCalmAnswer = (log: readonly LimiterDecision[], rule: LimitRule): number => {
  const latencies = latenciesOf(divideByPace(log, rule).calm);
  if (latencies.length < minCalmRequests) return 0;
  return latencies[Math.floor(latencies.length * longQuantile)]!;
};

/**
 * Returns whether the limiter delays requests under load: whether at least 10 % of the answers under load are later
 * than 90 % of the calm answers, or a few answers are later than every calm answer. Delays that a serial server or a
 * busy machine explains are left out.
 */
export const isDelayed = (log: readonly LimiterDecision[], rule: LimitRule): boolean => {
  const { calm, loaded } = divideByPace(log, rule);
  if (calm.length === 0) return false;
  const latencies = latenciesOf(calm);
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

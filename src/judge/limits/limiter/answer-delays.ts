import type { LimitRule, LimiterDecision } from '../../../model/limits/limit-log.ts';
import { countBefore } from '../facts/count-instants.ts';

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

/**
 * Admitted requests that came later than an even pace after the one before, and those that came sooner. Within a window after
 * a refusal none is calm, however slowly it came: the limiter may still be exhausted, and let it wait.
 */
const byPace = (log: readonly LimiterDecision[], { limit, window }: LimitRule) => {
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

/** Requests at an even pace, so many at the least, show how long an answer takes at the most. */
const minCalm = 5;

/** So many answers show how fast a server answers. */
const manyAnswers = 8;

/** How long a server that answers one request after the other can take for each, in ms: no longer than from one answer to the next where many came in a row. */
const serialTimeOf = (log: readonly LimiterDecision[], usual: number): number => {
  const answers = log
    .filter(({ admitted }) => admitted)
    .map(({ answered }) => answered)
    .toSorted((a, b) => a - b);
  return answers
    .slice(manyAnswers - 1)
    .reduce((least, last, i) => Math.min(least, (last - answers[i]!) / (manyAnswers - 1)), usual);
};

/** Whether an answer came more than half the time between two requests of the limit later than `long`, and than from a server that answers one request after the other. */
const latenessIn = (
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

/** How long nearly all answers at an even pace take at the most, in ms; 0 if too few came so. */
export const usualCalmAnswer = (log: readonly LimiterDecision[], rule: LimitRule): number => {
  const { calm } = byPace(log, rule);
  if (calm.length < minCalm) return 0;
  const latencies = calm.map(latencyOf).sort((a, b) => a - b);
  return latencies[Math.floor(latencies.length * longQuantile)]!;
};

/**
 * Whether a limiter delays a load, as none does that decides at once: many answers are later than nearly all at an even pace,
 * or some are later than all of them. A server that is slow under load explains neither, but a busy machine does.
 */
export const isDelayed = (log: readonly LimiterDecision[], rule: LimitRule): boolean => {
  const { calm, loaded } = byPace(log, rule);
  if (calm.length === 0) return false;
  const latencies = calm.map(latencyOf).sort((a, b) => a - b);
  const usual = latencies[Math.floor(latencies.length / 2)]!;
  const isLate = latenessIn(log, rule, usual);
  const refused = log.filter(({ admitted }) => !admitted);
  const isShown = (long: number, share: number): boolean => {
    const delayed = loaded.filter((decision) => isLate(decision, long));
    if (delayed.length < share * loaded.length || inTurn(delayed) < minDelayed) return false;
    const lateRefusals = refused.filter((decision) => isLate(decision, long));
    const refusedShare = lateRefusals.length / refused.length;
    const isByMachine =
      refusedShare >= (machineContrast * delayed.length) / loaded.length &&
      refusedShare < mostByMachine;
    return refused.length < minRefusals || !isByMachine;
  };
  const long = latencies[Math.floor(latencies.length * longQuantile)]!;
  return (
    isShown(long, minDelayedShare) || (calm.length >= minCalm && isShown(latencies.at(-1)!, 0))
  );
};

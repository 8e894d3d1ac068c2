import type {
  LimiterClass,
  LimiterDecision,
  LimitRule,
} from '../../../../model/limits/limit-log.ts';
import type { LimitFacts, SustainedFact } from '../../../../model/limits/limit-facts.ts';
import { burstEnvelope } from './burst-envelope.ts';
import { idleBegins, idleRefusals } from './idle-refusals.ts';
import { evenPace, type KeyHistory } from './even-pace.ts';
import {
  admissions,
  chargedBefore,
  mostWithin,
} from '../../../../judge/limits/facts/interval-counts.ts';
import {
  findingOf,
  longestWindow,
  limiterMemory,
  shortestWindow,
  evenRate,
} from '../../../../judge/limits/facts/rule-bounds.ts';
import { upperEnvelope } from '../../../../judge/limits/facts/upper-envelope.ts';

/** The start and the end of the phase can explain this many missing admissions. */
const slackRequests = 2;

/**
 * Counts spaced requests. Each spaced request was certainly sent at least the even spacing after the answer to the
 * previous spaced request. A limiter that keeps the rule admits, among all requests, at least the number of spaced
 * requests minus one limit. Example: with a limit of 60, 150 spaced requests mean at least 90 admissions. Fewer
 * admissions show a lower rate. The reason, for each limiter:
 * - a bucket gains more than one request between two spaced requests, so it lacks at most what it lacked at the start;
 * - a window or a log that refuses a spaced request has admitted `limit` other requests;
 * - a weighted counter that refuses a spaced request has admitted an additional request in the window before.
 */
const spacedRequests = (decisions: readonly LimiterDecision[], rule: LimitRule): number => {
  const spacing = 1 / evenRate(rule);
  let picks = 0;
  let next = Number.NEGATIVE_INFINITY;
  for (const { sent, answered } of decisions) {
    if (sent < next) continue;
    picks += 1;
    next = answered + spacing;
  }
  return picks;
};

const phaseParts = 16;

/**
 * Returns whether the limiter certainly ignores refusals. It does if it admitted a request that every limiter which
 * counts refusals would have refused.
 */
export const ignoresRefusals = (
  decisions: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): boolean => {
  const phases = Array.from({ length: phaseParts }, (_, i) => i / phaseParts);
  const isProvoked = ({ sent, answered }: LimiterDecision): boolean => {
    const countWithin = (time: number): number =>
      decisions.filter((other) => other.sent > answered - time && other.answered <= sent).length;
    if (countWithin(shortestWindow(window)) < limit) return false;
    return phases.every((phase) => {
      const current = countWithin(phase * window);
      // In this part of the window, each older request weighs at least `1 - phase - 1 / phaseParts`.
      const older = countWithin((1 + phase) * window) - current;
      return current + older * (1 - phase - 1 / phaseParts) >= limit + 1;
    });
  };
  return decisions.some((decision) => decision.admitted && isProvoked(decision));
};

/**
 * Returns the bounds of the admitted rate under a sustained load; `null` if the log has no sustained load. In n windows
 * of a load above the limit, a limiter of limit L admits between (n − 1)·L and (n + 1)·L requests. Example: 100
 * admissions in 4 windows mean a limit between 20 and 33.3.
 */
const sustainedRate = (
  decisions: readonly LimiterDecision[],
  rule: LimitRule,
): SustainedFact | null => {
  const { limit, window } = rule;
  const ordered = decisions.toSorted((a, b) => a.sent - b.sent);
  const [first, last] = [ordered[0], ordered.at(-1)];
  if (first === undefined || last === undefined) return null;
  const loaded = (last.sent - first.sent) / window;
  if (loaded < 1) return null;
  const admitted = ordered.filter((decision) => decision.admitted);
  // A queue may admit delayed requests after the load has ended, so the time lasts until the last answer.
  const answered = admitted.reduce<number>(
    (latest, each) => Math.max(latest, each.answered),
    last.sent,
  );
  const windows = (answered - first.sent) / window;
  const spaced = spacedRequests(ordered, rule);
  const isShort =
    admitted.length < spaced - limit - slackRequests && ignoresRefusals(ordered, rule);
  // Refusals at the beginning of the load may come from earlier requests. Only a refusal or a delay after the longest
  // window shows that the load itself exceeds the limit.
  const isExceeded = ordered.some((each) => {
    const isPrompt = each.admitted && each.answered - each.sent < window / limit;
    return !isPrompt && each.sent > first.sent + longestWindow(window);
  });
  const most = isExceeded && loaded > 1 ? admitted.length / (loaded - 1) : null;
  return {
    windows,
    admitted: admitted.length,
    offered: ordered.length,
    spaced,
    // The lowest rate assumes that the admissions took the longest possible time. The highest rate assumes the shortest
    // time.
    rate: { least: admitted.length / (windows + 1), most },
    isLow: admitted.length + slackRequests < loaded * window * evenRate(rule) - limit,
    isShort,
  };
};

interface FactEvidence {
  /** The decisions of the limiter, in any order. Facts refer to a decision by its index. */
  readonly decisions: readonly LimiterDecision[];
  readonly paced: readonly LimiterDecision[];
  readonly sustained: readonly LimiterDecision[];
  readonly history: KeyHistory;
  /** The classes of limiters that the user permits. Fewer permitted classes can make a bound tighter. */
  readonly permitted: readonly LimiterClass[];
}

/**
 * Finds the refusals that came although the limit certainly was not used up. In the two windows before such a refusal,
 * the gateway had admitted fewer requests than the limit.
 */
const roomFacts = (log: readonly LimiterDecision[], rule: LimitRule) => {
  const { limit, window } = rule;
  const admittedBefore = chargedBefore(admissions(log));
  const before = log.flatMap((decision, place) =>
    decision.admitted
      ? []
      : [
          {
            place,
            surely: admittedBefore(decision, shortestWindow(window)),
            lately: admittedBefore(decision, longestWindow(window)),
            ever: admittedBefore(decision, limiterMemory(rule)),
          },
        ],
  );
  const withRoom = before.filter(({ ever }) => ever.most < limit);
  return {
    refusedWithRoom: findingOf(
      withRoom.length > 0,
      before.every(({ surely }) => surely.least >= limit),
    ),
    refusalsWithRoom: withRoom.map(({ place }) => place),
    lockedOut: findingOf(
      before.some(({ lately }) => lately.most === 0),
      before.every(({ surely }) => surely.least > 0),
    ),
  };
};

export const limitFacts = (
  { decisions, paced, sustained, history, permitted }: FactEvidence,
  rule: LimitRule,
): LimitFacts => {
  const { limit, window } = rule;
  const charges = admissions(decisions);
  return {
    mostAdmitted: mostWithin(charges, window),
    overAdmitted: findingOf(
      mostWithin(charges, shortestWindow(window)).least > limit,
      mostWithin(charges, longestWindow(window)).most <= limit,
    ),
    envelope: upperEnvelope(charges, rule, permitted),
    burst: burstEnvelope(decisions, history.requests, rule),
    even: evenPace(paced, history, rule),
    idle: {
      times: idleBegins(history.requests, rule).length,
      refusals: idleRefusals(paced, history.requests, rule),
    },
    sustained: sustainedRate(sustained, rule),
    ...roomFacts(decisions, rule),
  };
};

import type {
  LimiterClass,
  LimiterDecision,
  LimitRule,
} from '../../../../model/limits/limit-log.ts';
import type { LimitFacts } from '../../../../model/limits/limit-facts.ts';
import { burstEnvelope } from './burst-envelope.ts';
import { evenPace } from './even-pace.ts';
import {
  admissions,
  chargedBefore,
  mostWithin,
} from '../../../../judge/limits/facts/interval-counts.ts';
import type { KeyHistory } from './request-spans.ts';
import {
  findingOf,
  longestWindow,
  limiterMemory,
  shortestWindow,
} from '../../../../judge/limits/facts/rule-bounds.ts';
import { sustainedRate } from './sustained-rate.ts';
import { upperEnvelope } from '../../../../judge/limits/facts/upper-envelope.ts';

interface FactEvidence {
  /** The decisions of the limiter, in any order. Facts refer to them by their index. */
  readonly decisions: readonly LimiterDecision[];
  /** The decisions on requests of every kind, used for the even pace. */
  readonly paced: readonly LimiterDecision[];
  /** The decisions of the phase whose load is always above the limit. */
  readonly sustained: readonly LimiterDecision[];
  readonly history: KeyHistory;
  /** The classes that the user permits. They can make a bound tighter. */
  readonly permitted: readonly LimiterClass[];
}

/**
 * Finds the refusals that came although fewer requests than the limit can have been admitted in the two windows before.
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

/** Finds the facts that a log proves under a declared limit, whatever the limiter is. */
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
    sustained: sustainedRate(sustained, rule),
    ...roomFacts(decisions, rule),
  };
};

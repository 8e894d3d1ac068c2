import type { LimiterDecision, LimitFinding, LimitRule } from '../../../model/limits/limit-log.ts';
import type { LimitFacts } from '../../../model/limits/limit-report.ts';
import { admissions, chargedBefore, mostWithin } from './interval-counts.ts';

/** Gateways count in whole seconds: a window of a minute can be a second shorter or longer. */
export const windowTolerance = (window: number): number => window / 60;

/** A claim that one counterexample refutes. */
export const findingOf = (proved: boolean, refuted: boolean): LimitFinding =>
  refuted ? 'refuted' : proved ? 'proved' : 'undecided';

/** The facts of a log, in any order, under a declared limit. */
export const limitFacts = (
  log: readonly LimiterDecision[],
  { limit, window }: LimitRule,
): LimitFacts => {
  const shorter = window - windowTolerance(window);
  const longer = window + windowTolerance(window);
  const charges = admissions(log);
  const admittedBefore = chargedBefore(charges);
  const before = log.flatMap((decision, place) =>
    decision.admitted
      ? []
      : [
          {
            place,
            longer: admittedBefore(decision, longer),
            shorter: admittedBefore(decision, shorter),
          },
        ],
  );
  const withRoom = before.filter((refusal) => refusal.longer.most < limit);
  return {
    mostAdmitted: mostWithin(charges, window),
    overAdmitted: findingOf(
      mostWithin(charges, shorter).least > limit,
      mostWithin(charges, longer).most <= limit,
    ),
    refusedWithRoom: findingOf(
      withRoom.length > 0,
      before.every((refusal) => refusal.shorter.least >= limit),
    ),
    refusalsWithRoom: withRoom.map(({ place }) => place),
    lockedOut: findingOf(
      before.some((refusal) => refusal.longer.most === 0),
      before.every((refusal) => refusal.shorter.least > 0),
    ),
  };
};

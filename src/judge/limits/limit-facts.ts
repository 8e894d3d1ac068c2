import type { Decision, Finding, LimitRule } from '../../model/limit-log.ts';
import type { LimitFacts } from '../../model/limit-report.ts';
import { admittedBefore, mostAdmittedWithin } from './interval-counts.ts';

/** Gateways count in whole seconds: a window of a minute may be a second shorter or longer. */
const grain = (window: number): number => window / 60;

const findingOf = (proved: boolean, refuted: boolean): Finding =>
  proved ? 'proved' : refuted ? 'refuted' : 'undecided';

/** The facts of a log under a declared limit; the log needs no order. */
export const limitFacts = (log: readonly Decision[], { limit, window }: LimitRule): LimitFacts => {
  const shorter = window - grain(window);
  const longer = window + grain(window);
  const before = log.flatMap((decision, place) =>
    decision.admitted
      ? []
      : [
          {
            place,
            longer: admittedBefore(log, decision, longer),
            shorter: admittedBefore(log, decision, shorter),
          },
        ],
  );
  const withRoom = before.filter((refusal) => refusal.longer.most < limit);
  return {
    mostAdmitted: mostAdmittedWithin(log, window),
    overAdmitted: findingOf(
      mostAdmittedWithin(log, shorter).least > limit,
      mostAdmittedWithin(log, longer).most <= limit,
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

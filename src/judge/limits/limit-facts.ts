import type { Decision, Finding, LimitRule } from '../../model/limit-log.ts';
import { admittedBefore, type Bounds, mostAdmittedWithin } from './interval-counts.ts';

/**
 * What a log proves about a limit whatever the limiter is. None of these facts is a fault by itself:
 * a fixed window admits up to twice its limit across its boundary, a sliding counter refuses with
 * room left. Faults are what no class explains (`explain-log.ts`).
 */
export interface LimitFacts {
  /** The most that was admitted within one window, wherever it lies. */
  readonly mostAdmitted: Bounds;
  /** More than the limit was admitted within one window. */
  readonly overAdmitted: Finding;
  /** A request was refused although fewer than the limit had been admitted in the window before it. */
  readonly refusedWithRoom: Finding;
  /** Refusals for which that is proved, as places in the log. */
  readonly refusalsWithRoom: readonly number[];
  /** A request was refused although nothing had been admitted in the window before it. */
  readonly lockedOut: Finding;
}

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

import { arrivalCountOf, type Load, loadDuration, type Plan } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { openArrivalCount } from './open-arrivals.ts';

/**
 * Returns when each stage begins. Stages follow one another without a gap, so all slices compute the same times. An
 * `iterations` stage takes its whole `maxDuration`, even if its users finish sooner.
 */
export const stageStarts = (plan: Plan): readonly Instant[] => {
  let start = 0;
  return plan.stages.map(({ load }) => {
    const begins = instant(start);
    start += loadDuration(load);
    return begins;
  });
};

/** Returns when the last stage's arrivals end. */
export const scheduledEnd = (plan: Plan): Instant =>
  instant(plan.stages.reduce((sum, { load }) => sum + loadDuration(load), 0));

/**
 * Returns the number of requests of a load: exact, or the mean for random gaps. It is `null` for users and connections,
 * whose number of requests depends on the answers.
 */
export const expectedArrivalCount = (load: Load): number | null =>
  load.kind === 'open' ? openArrivalCount(load) : arrivalCountOf(load);

import { arrivalCountOf, type Load, loadDuration, type Plan } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { openArrivalCount } from './open-arrivals.ts';

/**
 * Returns when each stage begins, which is the same in all slices. A stage of `iterations` is assumed to take its
 * `maxDuration`.
 */
export const stageStarts = (plan: Plan): readonly Instant[] => {
  let start = 0;
  return plan.stages.map(({ load }) => {
    const begins = instant(start);
    start += loadDuration(load);
    return begins;
  });
};

export const scheduledEnd = (plan: Plan): Instant =>
  instant(plan.stages.reduce((sum, { load }) => sum + loadDuration(load), 0));

/**
 * Returns the number of requests of a load, or the mean of a random number; `null` if the answers decide the number.
 */
export const expectedArrivalCount = (load: Load): number | null =>
  load.kind === 'open' ? openArrivalCount(load) : arrivalCountOf(load);

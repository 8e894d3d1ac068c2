import { arrivalCountOf, type Load, loadDuration, type Plan } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { openArrivalCount } from './open-arrivals.ts';

/** Returns when each stage begins, the same in all slices. Stages of `iterations` count with their `maxDuration`. */
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

/** Returns the number of requests of a load, or its mean; `null` if it depends on the answers. */
export const expectedArrivalCount = (load: Load): number | null =>
  load.kind === 'open' ? openArrivalCount(load) : arrivalCountOf(load);

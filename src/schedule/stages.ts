import { arrivalCountOf, type Load, loadDuration, type Plan } from '../model/plan/plan.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { openArrivalCount } from './open-arrivals.ts';

/**
 * When each stage begins: stages follow one another without a gap, by arithmetic, so that all
 * slices agree without a word. An `iterations` stage takes its whole `maxDuration`, even if its
 * users are done sooner.
 */
export const stageStarts = (plan: Plan): readonly Instant[] => {
  let start = 0;
  return plan.stages.map(({ load }) => {
    const begins = instant(start);
    start += loadDuration(load);
    return begins;
  });
};

/** When the last stage's arrivals end. */
export const scheduledEnd = (plan: Plan): Instant =>
  instant(plan.stages.reduce((sum, { load }) => sum + loadDuration(load), 0));

/** How many requests a load asks for: exactly, on average for Poisson arrivals, `null` for users and connections, who ask as fast as they are answered. */
export const expectedArrivalCount = (load: Load): number | null =>
  load.kind === 'open' ? openArrivalCount(load) : arrivalCountOf(load);

import { arrivalCountOf, type Load, type Plan } from '../model/plan/plan.ts';
import { stageSpans } from '../model/plan/stage-spans.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { openArrivalCount } from './open-arrivals.ts';

/**
 * Returns when each stage begins. All slices begin a stage at the same time. A stage of the kind `iterations` is
 * assumed to take its `maxDuration`.
 */
export const stageStarts = (plan: Plan): readonly Instant[] =>
  stageSpans(plan).map(({ from }) => instant(from));

export const scheduledEnd = (plan: Plan): Instant =>
  instant(Math.max(...stageSpans(plan).map(({ to }) => to)));

/**
 * Returns the number of requests of a load, or the mean number if it is random; `null` if it depends on the answers.
 */
export const expectedArrivalCount = (load: Load): number | null =>
  load.kind === 'open' ? openArrivalCount(load) : arrivalCountOf(load);

import { type Arrival, wholeRunSlice } from '../model/workload/arrival.ts';
import type { OpenLoad, RateSegment } from '../model/plan/plan.ts';
import { instant, milliseconds, perSecond } from '../model/quantity.ts';
import { openArrivals } from './open-arrivals.ts';

export const segment = (from: number, to: number, duration: number): RateSegment => ({
  from: perSecond(from),
  to: perSecond(to),
  duration: milliseconds(duration),
});
export const openLoadOf = (
  curve: readonly RateSegment[],
  spacing: OpenLoad['spacing'] = 'even',
): OpenLoad => ({
  kind: 'open',
  curve: [...curve],
  spacing,
});
export const arrivals = (
  load: OpenLoad,
  { slice = wholeRunSlice, start = 0, seed = 7, stage = 0 } = {},
): readonly Arrival[] => [
  ...openArrivals(load, { stage, stream: stage, seed, slice, start: instant(start) }),
];

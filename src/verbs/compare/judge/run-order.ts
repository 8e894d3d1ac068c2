import { comparisonRules } from '../../../model/series/compared-metric.ts';
import type { Result } from '../../../model/result/result.ts';
import { type Both, onBoth } from '../../../judge/series/traffic-streams.ts';
import { type Contrast, meanOf } from '../../../judge/statistics/significance.ts';
import { driftOf, withoutDrift } from './tests-of-significance.ts';

/** The position of each run if the runs of both sides are sorted by their starts. */
export type Places = Both<readonly number[]>;

/**
 * If the mean positions of the runs of both sides are at most this far apart, the sides took turns. A drift over so
 * small a distance is no relevant change.
 */
const mostApart = 1;

/** Returns the positions of the runs; `null` if the sides took turns, since a drift then affects both sides equally. */
export const placesApart = (results: Both<readonly Result[]>): Places | null => {
  const starts = onBoth(results, (side) => side.map(({ startedAt }) => startedAt));
  const order = [...starts.base, ...starts.next].toSorted();
  const places = onBoth(starts, (side) =>
    side.map((each) => (order.indexOf(each) + order.lastIndexOf(each)) / 2),
  );
  return Math.abs(meanOf(places.next) - meanOf(places.base)) > mostApart ? places : null;
};

/** The change after the drift is removed, if the runs did not take turns. */
export interface Remaining extends Contrast {
  readonly slope: number;
  readonly variance: number;
}

/**
 * Returns the change without the drift that both sides have in common; `null` for too few runs. Even a drift that is
 * not significant is removed: tests do not detect most drifts that are large enough to look like a change.
 */
export const remainingChange = (
  { base, next }: Both<readonly number[]>,
  places: Places,
  resolution: number,
): Remaining | null => {
  // If a run has no value, later runs get positions that are slightly wrong, which hardly changes the drift.
  const own = [places.base.slice(0, base.length), places.next.slice(0, next.length)] as const;
  const drift = driftOf([base, next], own, resolution);
  if (drift === null) return null;
  const contrast = withoutDrift([base, next], own, drift);
  const p = Math.min(1, comparisonRules.unevenDrift * contrast.p);
  return { ...contrast, p, slope: drift.slope, variance: drift.variance };
};

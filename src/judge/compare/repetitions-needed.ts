import { comparisonRules } from '../../model/series/comparison.ts';
import { criticalT } from '../statistics/student-t.ts';

export const maxRepetitions = 1000;

/**
 * The repetitions per side that would decide, with the observed noise and difference: the confidence
 * interval of `difference` is within ±`least`, or, beyond it, p is below `alpha`. Half the width of the
 * interval is t √(2 / n) standard deviations of one repetition, t with 2 n − 2 degrees of freedom.
 * `null` above `maxRepetitions`.
 */
export const repetitionsNeeded = (seen: {
  readonly difference: number;
  readonly deviation: number;
  readonly least: number;
  readonly alpha: number;
}): number | null => {
  const { difference, deviation, least, alpha } = seen;
  const isBeyond = Math.abs(difference) > least;
  const margin = isBeyond ? Math.abs(difference) : least - Math.abs(difference);
  const level = isBeyond ? alpha : comparisonRules.alpha;
  const decides = (count: number): boolean =>
    criticalT(level, 2 * count - 2) * deviation * Math.sqrt(2 / count) < margin;
  if (!decides(maxRepetitions)) return null;
  let [few, enough] = [comparisonRules.repetitions - 1, maxRepetitions];
  while (enough - few > 1) {
    const middle = Math.floor((few + enough) / 2);
    if (decides(middle)) enough = middle;
    else few = middle;
  }
  return enough;
};

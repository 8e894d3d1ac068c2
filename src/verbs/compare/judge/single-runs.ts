import { shareOf } from '../../../model/measures/share.ts';
import type { Result } from '../../../model/result/result.ts';
import { comparisonRules } from '../../../model/series/compared-metric.ts';
import type { MetricCandidate } from '../../../judge/series/metric-candidates.ts';
import { type Both, onBoth } from '../../../judge/series/traffic-streams.ts';
import { criticalNormal } from '../../../judge/statistics/student-t.ts';

const { alpha, singleRunNoise } = comparisonRules;

/**
 * The scales on which the noise between runs does not depend on the size of the value: the logarithm for ratios, and
 * the log odds for shares.
 */
const noiseScales = {
  ratio: { to: Math.log, from: Math.exp },
  difference: {
    to: (share: number) => Math.log(share / (1 - share)),
    from: (logOdds: number) => 1 / (1 + Math.exp(-logOdds)),
  },
} as const;

/** Returns one end of the interval within a run, moved outwards by the noise between runs. */
const endBetweenRuns = (
  value: number,
  end: number,
  { scale, isUpper }: { readonly scale: MetricCandidate['scale']; readonly isUpper: boolean },
): number => {
  const { to, from } = noiseScales[scale];
  const within = to(end) - to(value);
  // Noise is proportional to the value, so a share of zero has none, and its interval stays unchanged.
  if (!Number.isFinite(within)) return end;
  const between = criticalNormal(2 * alpha) * singleRunNoise;
  return from(to(value) + (isUpper ? 1 : -1) * Math.hypot(within, between));
};

/**
 * Returns whether a single new run is worse than a single base run by more than the smallest relevant change. Compares
 * the ends of the two runs' intervals that face each other. An interval within a run does not show how much runs
 * differ, so both intervals are widened by an assumed noise. Returns `false` if an interval is missing.
 */
export const isFarWorse = (
  candidate: MetricCandidate,
  {
    reportedLeast,
    lowerIsBetter,
  }: { readonly reportedLeast: number; readonly lowerIsBetter: boolean },
  { base, next }: Both<Result>,
): boolean => {
  const { scale, intervalWithin } = candidate;
  const [before, after] = [intervalWithin(base), intervalWithin(next)];
  // The ends of the two intervals that face each other.
  const [from, to] = lowerIsBetter ? [before?.high, after?.low] : [before?.low, after?.high];
  if (typeof from !== 'number' || typeof to !== 'number') return false;
  const values =
    candidate.scale === 'ratio'
      ? onBoth(candidate, ([first]) => first!)
      : onBoth(candidate, ([first]) => shareOf(first!));
  const fromEnd = endBetweenRuns(values.base, from, { scale, isUpper: lowerIsBetter });
  const toEnd = endBetweenRuns(values.next, to, { scale, isUpper: !lowerIsBetter });
  const [less, more] = lowerIsBetter ? [fromEnd, toEnd] : [toEnd, fromEnd];
  return scale === 'ratio' ? more > less * reportedLeast : more - less > reportedLeast;
};

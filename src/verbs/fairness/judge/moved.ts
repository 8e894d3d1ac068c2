import {
  effectiveShare,
  meanOf,
  newcombe,
  varianceOf,
} from '../../../judge/statistics/significance.ts';
import { percentileWithFailures } from '../../../judge/statistics/percentile-with-failures.ts';
import { criticalT } from '../../../judge/statistics/student-t.ts';
import { shareOf } from '../../../model/measures/share.ts';
import { alpha, type SeenRises } from './reach.ts';
import type { Interval } from '../model/fairness-report.ts';
import {
  type NoiseBlock,
  dueWithin,
  type SeenArrival,
  type SeenRun,
} from '../model/seen-arrival.ts';

/**
 * The logarithm of the largest rise or fall of a figure that counts. If too few requests completed, the figure has no
 * value, and counts as a rise or fall of this size.
 */
const mostRise = Math.log(100);

/** Returns the mean of values with its interval; `null` for fewer than three values. */
export const meanInterval = (
  values: readonly number[],
): (Required<Interval> & { high: number }) | null => {
  if (values.length < 3) return null;
  const value = meanOf(values);
  const error = Math.sqrt(varianceOf(values) / values.length);
  const half = error === 0 ? 0 : criticalT(alpha, values.length - 1) * error;
  return { value, low: value - half, high: value + half };
};

/** The figures of the quiet population in a block. */
export interface BlockFigures {
  readonly block: NoiseBlock;
  readonly arrivals: readonly SeenArrival[];
  readonly least: number;
  readonly most: number;
  readonly failed: number;
  /** Whether enough requests were due for the percentile. */
  readonly isEnough: boolean;
}

export const blockFigures = ({
  blocks,
  arrivals,
  quiet,
  q,
  until,
}: SeenRun): readonly BlockFigures[] => {
  const own = arrivals.filter(({ population }) => population === quiet);
  return blocks
    .filter(({ to }) => to <= until)
    .map((block) => {
      const due = dueWithin(own, block.from, block.to);
      const timed = due.filter(({ isTimed }) => isTimed);
      return {
        block,
        arrivals: due,
        least: percentileWithFailures(
          timed.map(({ least }) => least),
          q,
        ),
        most: percentileWithFailures(
          timed.map(({ most }) => most),
          q,
        ),
        failed: due.filter(({ isCompleted }) => !isCompleted).length,
        // A p95 needs 20 requests. The tolerance is for 1 − 0.95, which is no exact binary number.
        isEnough: timed.length * (1 - q) > 1 - 1e-9,
      };
    });
};

const failedShare = ({ failed, arrivals }: BlockFigures): number =>
  arrivals.length === 0 ? 0 : failed / arrivals.length;

interface Pair {
  readonly alone: BlockFigures;
  readonly noisy: BlockFigures;
}

/** Returns the pairs in which both blocks were seen to their ends. */
const pairsOf = (figures: readonly BlockFigures[]): readonly Pair[] =>
  [...Map.groupBy(figures, ({ block }) => block.pair).values()].flatMap((both) => {
    const alone = both.find(({ block }) => !block.isNoisy);
    const noisy = both.find(({ block }) => block.isNoisy);
    return alone === undefined || noisy === undefined ? [] : [{ alone, noisy }];
  });

/** Returns the logarithm of a rise, within ±`mostRise`. A value can be infinite if too many requests failed. */
const rise = (from: number, to: number): number =>
  Math.max(-mostRise, Math.min(mostRise, Math.log(to / from)));

/**
 * Returns the interval that holds both intervals. Requests that fail together are only a few independent events. Only
 * the comparison of pairs of blocks shows this dependence.
 */
const wider = (
  counts: { readonly low: number; readonly high: number },
  pairs: ReturnType<typeof meanInterval>,
) => ({
  low: Math.min(counts.low, pairs?.low ?? counts.low),
  high: Math.max(counts.high, pairs?.high ?? counts.high),
});

export interface Movement {
  readonly pairs: number;
  /** The scatter of the pairs' rises; `null` if too few rises are known, or if a rise is unbounded. */
  readonly rises: SeenRises | null;
  readonly moved: Interval | null;
  readonly failed: Interval | null;
}

const scatterOf = (values: readonly number[]): SeenRises['low'] => ({
  mean: meanOf(values),
  deviation: Math.sqrt(varianceOf(values)),
});

/**
 * Returns how much the quiet population's figure and failures rose with the noise. The unit is a pair of blocks, since
 * the requests of one block share a queue. The interval allows for all delay that the load generator may have added to
 * the blocks with or without noise.
 */
export const movementOf = (figures: readonly BlockFigures[]): Movement => {
  const pairs = pairsOf(figures);
  const asked = pairs.filter(
    ({ alone, noisy }) => alone.isEnough && noisy.isEnough && alone.least > 0,
  );
  const hasValue = ({ most }: BlockFigures): boolean => Number.isFinite(most);
  const isUnbounded = asked.some(({ alone, noisy }) => !hasValue(alone) || !hasValue(noisy));
  // If neither side has a value, the rise is unknown.
  const usable = asked.filter(({ alone, noisy }) => hasValue(alone) || hasValue(noisy));
  const risesOf = (before: 'least' | 'most', after: 'least' | 'most') =>
    usable.map(({ alone, noisy }) => rise(alone[before], noisy[after]));
  const middle = meanInterval(risesOf('most', 'most'));
  const [low, high] = [risesOf('most', 'least'), risesOf('least', 'most')];
  const [lowest, highest] = [meanInterval(low), meanInterval(high)];
  const shares = (['alone', 'noisy'] as const).map((side) =>
    effectiveShare(
      pairs.map((pair) => ({ events: pair[side].failed, of: pair[side].arrivals.length })),
    ),
  ) as [ReturnType<typeof effectiveShare>, ReturnType<typeof effectiveShare>];
  const isKnown = pairs.length > 0 && shares.every(({ of }) => of > 0);
  const freedom = Math.max(1, pairs.length - 1);
  const [one, other] = shares;
  // Blocks without failures show no spread, so the counts alone decide.
  const isSpread = one.events + other.events > 0;
  return {
    pairs: usable.length,
    rises:
      middle === null || isUnbounded
        ? null
        : { low: scatterOf(low), high: scatterOf(high), pairs: usable.length },
    moved:
      middle === null || lowest === null || highest === null
        ? null
        : {
            value: Math.expm1(middle.value),
            low: Math.expm1(lowest.low),
            high: isUnbounded ? null : Math.expm1(highest.high),
          },
    failed: isKnown
      ? {
          value: shareOf(other) - shareOf(one),
          ...wider(
            newcombe(one, other, isSpread ? criticalT(alpha, freedom) : 1.96),
            meanInterval(pairs.map(({ alone, noisy }) => failedShare(noisy) - failedShare(alone))),
          ),
        }
      : null,
  };
};

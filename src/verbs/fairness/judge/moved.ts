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
 * The largest change of a figure, as a logarithm: a factor of 100. A larger change is limited to this value. If too few
 * requests completed, a figure is infinite, so a change from or to it is also limited to this value.
 */
const mostRise = Math.log(100);

/** Returns the mean of values with its interval; `null` if there are fewer than three values. */
export const meanInterval = (
  values: readonly number[],
): (Required<Interval> & { high: number }) | null => {
  if (values.length < 3) return null;
  const value = meanOf(values);
  const error = Math.sqrt(varianceOf(values) / values.length);
  const half = error === 0 ? 0 : criticalT(alpha, values.length - 1) * error;
  return { value, low: value - half, high: value + half };
};

/** The figures of the quiet population in one block. */
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
        // A p95 needs 20 requests. The tolerance is needed because 1 − 0.95 is no exact binary number.
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

/** Returns the pairs whose two blocks were both observed to the end. */
const pairsOf = (figures: readonly BlockFigures[]): readonly Pair[] =>
  [...Map.groupBy(figures, ({ block }) => block.pair).values()].flatMap((both) => {
    const alone = both.find(({ block }) => !block.isNoisy);
    const noisy = both.find(({ block }) => block.isNoisy);
    return alone === undefined || noisy === undefined ? [] : [{ alone, noisy }];
  });

/** Returns the logarithm of a rise, limited to ±`mostRise`. A figure is infinite if too many requests failed. */
const rise = (from: number, to: number): number =>
  Math.max(-mostRise, Math.min(mostRise, Math.log(to / from)));

/**
 * Returns the smallest interval that contains both given intervals. The interval `counts` is computed as if failures
 * were independent, so it is too narrow if requests fail together. The interval `pairs` comes from the comparison of
 * blocks, so it is wide in this case.
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
  /**
   * How much the figure rose with the noise in the pairs of blocks; `null` if too few rises are known, or if a rise is
   * unbounded.
   */
  readonly rises: SeenRises | null;
  readonly moved: Interval | null;
  readonly failed: Interval | null;
}

const scatterOf = (values: readonly number[]): SeenRises['low'] => ({
  mean: meanOf(values),
  deviation: Math.sqrt(varianceOf(values)),
});

/**
 * Returns how much the figure and the failures of the quiet population rose with the noise. The statistical unit is a
 * pair of blocks, since the requests of one block share a queue. The interval of the rise allows for all delay that the
 * load generator may have added in blocks with or without noise.
 */
export const movementOf = (figures: readonly BlockFigures[]): Movement => {
  const pairs = pairsOf(figures);
  const asked = pairs.filter(
    ({ alone, noisy }) => alone.isEnough && noisy.isEnough && alone.least > 0,
  );
  const hasValue = ({ most }: BlockFigures): boolean => Number.isFinite(most);
  const isUnbounded = asked.some(({ alone, noisy }) => !hasValue(alone) || !hasValue(noisy));
  // If neither block of a pair has a value, the rise is unknown, so the pair is dropped.
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
  // If no request failed, the blocks show no spread of the failures, so the normal quantile 1.96 is used instead of
  // Student's t.
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

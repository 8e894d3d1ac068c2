import type { Draw } from '../../../model/workload/draw.ts';
import { changeRules, type LevelChange, type Trend, type TrendFigure } from '../model/trend.ts';
import type { HistoryFigure, StoredRun } from '../../../model/series/history.ts';
import { meanOf } from '../../../judge/statistics/significance.ts';

const { minRuns, minLevelRuns, alpha, permutations } = changeRules;

interface Split {
  /** The index of the first value after the change of level. */
  readonly at: number;
  readonly separation: number;
}

/**
 * Returns the split of a series into the two parts with the greatest energy distance, scaled by n m / (n + m), where n
 * and m are the lengths of the parts. The energy distance is twice the mean distance between the parts, minus the mean
 * distance within each part. `distance` is a symmetric matrix. `order` is the series, as indexes of the matrix. `sums`
 * has the matrix's row sums.
 */
const clearestSplit = (
  order: readonly number[],
  distance: readonly Float64Array[],
  sums: Float64Array,
): Split => {
  const count = order.length;
  let [within, beyond, total] = [0, 0, 0];
  for (const sum of sums) total += sum / 2;
  beyond = total;
  let best: Split = { at: 0, separation: -Infinity };
  for (let n = 1; n <= count - minLevelRuns; n += 1) {
    const moved = order[n - 1]!;
    const row = distance[moved]!;
    let behind = 0;
    for (let i = 0; i < n - 1; i += 1) behind += row[order[i]!]!;
    within += behind;
    beyond -= sums[moved]! - behind;
    if (n < minLevelRuns) continue;
    const m = count - n;
    const between = (2 * (total - within - beyond)) / (n * m);
    const inside = (2 * within) / (n * (n - 1)) + (2 * beyond) / (m * (m - 1));
    const separation = ((n * m) / count) * (between - inside);
    if (separation > best.separation) best = { at: n, separation };
  }
  return best;
};

const shuffle = (order: number[], draw: Draw): void => {
  for (let i = order.length - 1; i > 0; i -= 1) {
    const j = Math.floor(draw.uniform() * (i + 1));
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
};

/**
 * Returns the clearest split with its p-value; `null` if the split is not significant. The p-value is the share of
 * permutations whose clearest split is at least as clear.
 */
const significant = (
  values: readonly number[],
  draw: Draw,
): { readonly at: number; readonly p: number } | null => {
  const distance = values.map((one) => Float64Array.from(values, (other) => Math.abs(one - other)));
  const sums = Float64Array.from(distance, (row) => row.reduce((sum, each) => sum + each, 0));
  const order = values.map((_, i) => i);
  const seen = clearestSplit(order, distance, sums);
  // Sums in another order can differ in their last digits, so the threshold is slightly below the separation.
  const threshold = seen.separation - 1e-9 * Math.abs(seen.separation);
  let permutationsReaching = 1;
  for (let i = 0; i < permutations; i += 1) {
    shuffle(order, draw);
    if (clearestSplit(order, distance, sums).separation >= threshold) permutationsReaching += 1;
    if (permutationsReaching / (permutations + 1) >= alpha) return null;
  }
  return { at: seen.at, p: permutationsReaching / (permutations + 1) };
};

/**
 * Returns where the level of a series changes, in order, by E-divisive with its permutation test: D. S. Matteson & N.
 * A. James, "A Nonparametric Approach for Multiple Change Point Analysis of Multivariate Data", JASA 109 (2014). The
 * exponent is 1, and levels extend to the ends of their segment. For its use on performance tests see D. Daly et al.,
 * ICPE 2020. A p-value is (permutations with at least this separation + 1) / (permutations + 1): B. Phipson & G. K.
 * Smyth (2010). Segments are split until no split is significant, or until the segments have fewer than `minRuns`
 * values. The test assumes independent values as long as nothing changes.
 */
export const changePoints = (
  values: readonly number[],
  draw: Draw,
): readonly { readonly at: number; readonly p: number }[] => {
  if (values.length < minRuns) return [];
  const split = significant(values, draw);
  if (split === null) return [];
  const { at, p } = split;
  const later = changePoints(values.slice(at), draw);
  return [
    ...changePoints(values.slice(0, at), draw),
    { at, p },
    ...later.map((each) => ({ ...each, at: each.at + at })),
  ];
};

type Point = TrendFigure['points'][number];

/**
 * Converts each kind of figure to the scale on which changes are searched, and back. On this scale, noise is equally
 * large for low and for high values.
 */
const scales = {
  ratio: { to: Math.log, from: Math.exp },
  difference: { to: (value: number) => value, from: (value: number) => value },
} as const satisfies Record<
  HistoryFigure['scale'],
  Record<'to' | 'from', (value: number) => number>
>;

/** Returns whether a level changed by more than the smallest change that is relevant in a comparison. */
const isRelevant = (
  { scale, effect, floor }: HistoryFigure,
  before: number,
  after: number,
): boolean => {
  if (scale === 'difference') return Math.abs(after - before) > effect;
  const least = Math.log(1 + Math.max(effect, floor / before));
  return Math.abs(Math.log(after / before)) > least;
};

const directionOf = ({ better }: HistoryFigure, before: number, after: number) => {
  if (better === 'neither') return 'other';
  return after > before === (better === 'higher') ? 'better' : 'worse';
};

/** Returns the relevant changes of a series. `effects` are the smallest relevant changes, one for each run. */
const changesOf = (
  figure: HistoryFigure,
  points: readonly Point[],
  effects: ReadonlyMap<number, number>,
  draw: Draw,
): readonly LevelChange[] => {
  const { to, from } = scales[figure.scale];
  const recent = points.slice(-changeRules.maxRuns);
  const values = recent.map(({ value }) => to(value));
  const found = changePoints(values, draw);
  return found.flatMap(({ at, p }, i) => {
    const [begin, end] = [found[i - 1]?.at ?? 0, found[i + 1]?.at ?? values.length];
    const before = from(meanOf(values.slice(begin, at)));
    const after = from(meanOf(values.slice(at, end)));
    const around = recent.slice(begin, end).map(({ run }) => effects.get(run) ?? 0);
    // The change must exceed the errors of the runs' figures. All runs with large errors may be on one side of the
    // change, so the larger mean error of the two sides counts.
    const levels = [around.slice(0, at - begin), around.slice(at - begin)];
    const effect = Math.max(...levels.map(meanOf));
    if (!isRelevant({ ...figure, effect }, before, after)) return [];
    const direction = directionOf(figure, before, after);
    return [{ run: recent[at]!.run, before, after, p, direction }];
  });
};

/**
 * Returns the main figures over the runs of one plan. The labels of a figure come from the latest run with this figure.
 */
const figuresOver = (
  runs: readonly StoredRun[],
  drawFor: (figure: number) => Draw,
): readonly TrendFigure[] => {
  const latest = new Map(runs.flatMap(({ figures }) => figures.map((each) => [each.id, each])));
  return [...latest.values()].map((figure, i) => {
    const { id, label, unit, better, scale } = figure;
    const found = runs.flatMap(({ id: run, figures }) => {
      const own = figures.find((each) => each.id === id);
      return own === undefined ? [] : [{ run, own }];
    });
    const points = found.map(({ run, own }) => ({ run, value: own.value }));
    const effects = new Map(found.map(({ run, own }) => [run, own.effect]));
    const changes = [...changesOf(figure, points, effects, drawFor(i))];
    return { id, label, unit, better, scale, points, changes };
  });
};

/**
 * Returns the runs of each plan with their changes of level. The plan with the most recent run comes first. `runs` must
 * be in the order of their starts. `drawFor` returns the random source for the permutations of a figure.
 */
export const trendsOf = (
  runs: readonly StoredRun[],
  drawFor: (figure: number) => Draw,
): readonly Trend[] =>
  [...Map.groupBy(runs, ({ planHash }) => planHash).values()]
    .map((planRuns) => {
      const { planHash, plan, target } = planRuns.at(-1)!;
      return {
        planHash,
        plan,
        target,
        runs: planRuns,
        figures: [...figuresOver(planRuns, drawFor)],
      };
    })
    .toSorted((a, b) => b.runs.at(-1)!.startedAt.localeCompare(a.runs.at(-1)!.startedAt));

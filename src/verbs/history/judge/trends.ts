import type { Draw } from '../../../model/workload/draw.ts';
import { type HistoryFigure, type StoredRun } from '../../../model/series/history.ts';
import { changeRules, type LevelChange, type Trend, type TrendFigure } from '../model/trend.ts';
import { meanOf } from '../../../judge/statistics/significance.ts';
import { changePoints } from './change-points.ts';

type Point = TrendFigure['points'][number];

/** The scale on which the noise of a figure is the same at every level. */
const scales = {
  ratio: { to: Math.log, from: Math.exp },
  difference: { to: (value: number) => value, from: (value: number) => value },
} as const satisfies Record<
  HistoryFigure['scale'],
  Record<'to' | 'from', (value: number) => number>
>;

/** Whether a level changed by more than the minimum effect of a comparison. */
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

const changesOf = (
  figure: HistoryFigure,
  points: readonly Point[],
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
    if (!isRelevant(figure, before, after)) return [];
    const direction = directionOf(figure, before, after);
    return [{ run: recent[at]!.run, before, after, p, direction }];
  });
};

/** The main figures over the runs of one plan, labelled as in the latest run that has them. */
const figuresOver = (
  runs: readonly StoredRun[],
  drawFor: (figure: number) => Draw,
): readonly TrendFigure[] => {
  const latest = new Map(runs.flatMap(({ figures }) => figures.map((each) => [each.id, each])));
  return [...latest.values()].map((figure, i) => {
    const { id, label, unit, better, scale } = figure;
    const points = runs.flatMap(({ id: run, figures }) => {
      const value = figures.find((each) => each.id === id)?.value;
      return value === undefined ? [] : [{ run, value }];
    });
    const changes = [...changesOf(figure, points, drawFor(i))];
    return { id, label, unit, better, scale, points, changes };
  });
};

/**
 * The runs of each plan with their changes of level, the most recent plan first. `runs` are in order of
 * their start; `drawFor` provides the randomness for the permutations of a figure.
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

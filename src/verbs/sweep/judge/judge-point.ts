import { countArrivals, sumAwaited, sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import type { Result } from '../../../model/result/result.ts';
import { groupsMatching, outsideWarmUp } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import type { SweepFigure, SweepPoint, SweptRun } from '../model/sweep.ts';
import { judgeObjectives } from '../../../judge/objectives/judge-objectives.ts';
import { figureOfRun } from './swept-figures.ts';

interface MadeRun {
  readonly folder: string;
  readonly order: number;
  readonly result: Result;
  readonly trust: Trust;
}

/**
 * The facts of a run that a sweep keeps. All other data of the run are dropped, since a sweep may have a thousand runs.
 */
export interface JudgedRun {
  readonly run: SweptRun;
  readonly weak: ReadonlySet<string>;
  readonly broken: readonly string[];
  readonly undecided: readonly string[];
}

/** The values of a point and its runs so far. `problems` are sentences about runs that could not start. */
export interface MadePoint {
  readonly values: readonly string[];
  readonly runs: readonly JudgedRun[];
  readonly problems: readonly string[];
}

/** Without objectives, at least this share of the arrivals must succeed, as in a step of `weir capacity`. */
const defaultShare = 0.95;

/**
 * Returns why a run's figures do not count; `null` if they count. If a broken objective ended the run, its figures
 * count, since they show the break.
 */
const exclusionOf = ({ result, trust }: MadeRun): string | null => {
  if (trust.level === 'invalid') {
    const signals = trust.evidence
      .filter(({ decides, level }) => decides && level === 'invalid')
      .map(({ signal, observed }) => `${signal}: ${observed}`);
    return `load not as planned (${signals.join('; ')})`;
  }
  if (result.partial !== null && result.breach === undefined) return result.partial;
  const outcomes = sumOutcomes(groupsMatching(result, outsideWarmUp));
  if (countArrivals(outcomes) === 0) return 'no request was due after the warm-up';
  return outcomes.completed === 0 ? 'nothing succeeded' : null;
};

/** Returns the objectives that a run breaks, and the objectives that the run leaves undecided. */
const findingsOf = ({ result, trust }: MadeRun) => {
  const verdicts = (result.verdicts ?? judgeObjectives(result, trust)).filter(
    ({ severity }) => severity === 'fail',
  );
  const failed = verdicts.filter(({ ruling }) => ruling !== 'pass');
  const isBroken = ({ grounds }: (typeof failed)[number]): boolean =>
    grounds === 'broken' || grounds === 'aborted';
  const texts = (wanted: boolean): readonly string[] =>
    failed.filter((each) => isBroken(each) === wanted).map(({ text }) => text);
  if (verdicts.length > 0) return { broken: texts(true), undecided: texts(false) };
  const groups = groupsMatching(result, outsideWarmUp);
  const outcomes = sumAwaited(groups);
  const arrivals = countArrivals(outcomes);
  const good =
    result.plan.perRequest.length > 0
      ? groups.reduce((sum, group) => sum + (group.good?.all ?? 0), 0)
      : outcomes.completed;
  const word = result.plan.perRequest.length > 0 ? 'goodput' : 'completed';
  const broken =
    good >= defaultShare * arrivals
      ? []
      : [`${word} ${((good / arrivals) * 100).toFixed(1)} %, below ${defaultShare * 100} %`];
  return { broken, undecided: [] as readonly string[] };
};

export const judgeRun = (made: MadeRun, names: readonly string[]): JudgedRun => {
  const { folder, order, result, trust } = made;
  const found = names.flatMap((name) => {
    const figure = figureOfRun(result, name);
    return figure === null ? [] : [{ name, ...figure }];
  });
  return {
    run: {
      folder,
      order,
      startedAt: result.startedAt,
      trust: trust.level,
      excludedBecause: exclusionOf(made),
      figures: Object.fromEntries(found.map(({ name, value }) => [name, value])),
    },
    weak: new Set(found.flatMap(({ name, isWeak }) => (isWeak ? [name] : []))),
    ...findingsOf(made),
  };
};

const unique = (texts: readonly string[]): string[] => [...new Set(texts)];

const isCounted = ({ run }: JudgedRun): boolean => run.excludedBecause === null;

const verdictOf = ({ runs, problems }: MadePoint): Pick<SweepPoint, 'verdict' | 'reasons'> => {
  const counted = runs.filter(isCounted);
  const wrong = unique([...runs.flatMap(({ run }) => run.excludedBecause ?? []), ...problems]);
  const all = runs.length + problems.length;
  if (counted.length === 0) {
    return { verdict: all > 0 ? 'excluded' : 'missing', reasons: wrong };
  }
  const lost = all - counted.length;
  const remarks = lost === 0 ? [] : [`${lost} of ${all} runs not counted: ${wrong.join('; ')}`];
  const broken = unique(counted.flatMap((each) => each.broken));
  if (broken.length > 0) return { verdict: 'broken', reasons: [...broken, ...remarks] };
  const undecided = unique(counted.flatMap((each) => each.undecided));
  const verdict = undecided.length > 0 ? 'undecided' : 'kept';
  return { verdict, reasons: [...undecided, ...remarks] };
};

/** Judges a point by its runs. `isOnFront` is false until all points have been judged. */
export const judgePoint = (made: MadePoint): SweepPoint => {
  const counted = made.runs.filter(isCounted);
  const names = unique(counted.flatMap(({ run }) => Object.keys(run.figures)));
  const overRuns = (name: string): SweepFigure => {
    const values = counted.flatMap(({ run }) => run.figures[name] ?? []);
    return {
      value: values.reduce((sum, value) => sum + value, 0) / values.length,
      low: Math.min(...values),
      high: Math.max(...values),
      isWeak: counted.some(({ weak }) => weak.has(name)),
    };
  };
  return {
    values: [...made.values],
    ...verdictOf(made),
    runs: made.runs.map(({ run }) => run),
    figures: Object.fromEntries(names.map((name) => [name, overRuns(name)])),
    isOnFront: false,
  };
};

import type { Milliseconds } from '../../model/quantity.ts';
import type { Forecast } from '../../model/plan/forecast.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { isLoadPath, pointName, type SweepVariable } from './model/sweep.ts';
import { Problem } from '../../platform/problem.ts';
import type { Environment } from '../../scenario/text/environment-template.ts';
import type { PointSetting, Variable } from '../../scenario/text/variation.ts';
import { checkPlanFits, forecastOf, undecidableObjectives } from '../../run/forecast.ts';
import {
  type PlanSource,
  readPlanWithFiles,
  readSweepVariables,
} from '../../run/input/read-plan.ts';
import type { SweepSlot } from './sweep-order.ts';

/** A combination of values. */
interface SweepPoint {
  readonly values: readonly string[];
  readonly settings: readonly PointSetting[];
  readonly plan: Plan;
}

/** A combination of values, and what each of its runs needs. */
export interface SweepPointPlan extends SweepPoint {
  /** One for each repetition, since each run draws other arrivals and other prompts. */
  readonly forecasts: readonly Forecast[];
}

export interface ReadSweep {
  readonly variables: readonly SweepVariable[];
  readonly points: readonly SweepPointPlan[];
  /** Objectives that some point has too few requests for, as sentences. */
  readonly warnings: readonly string[];
}

const maxPoints = 1000;

/** All combinations; the last variable changes fastest. */
const combinationsOf = (variables: readonly Variable[]): readonly (readonly number[])[] =>
  variables.reduce<readonly (readonly number[])[]>(
    (combinations, { values }) =>
      combinations.flatMap((chosen) => Array.from(values.keys(), (i) => [...chosen, i])),
    [[]],
  );

const settingsOf = (
  variables: readonly Variable[],
  chosen: readonly number[],
): readonly PointSetting[] =>
  variables.map(({ path, flag, values }, i) => ({ path, flag, value: values[chosen[i]!]!.value }));

/** Reads every point; throws one `Problem` with what is wrong at any of them, each once. */
const readPoints = async (
  source: PlanSource,
  variables: readonly Variable[],
  environment: Environment,
) => {
  const problems = new Set<string>();
  const points: SweepPoint[] = [];
  const warnings = new Set<string>();
  for (const chosen of combinationsOf(variables)) {
    const settings = settingsOf(variables, chosen);
    const values = variables.map((each, i) => each.values[chosen[i]!]!.text);
    try {
      const read = await readPlanWithFiles({ ...source, point: settings }, environment);
      checkPlanFits(read);
      const [undecidable] = undecidableObjectives(read);
      if (undecidable !== undefined)
        warnings.add(`${pointName(variables, values)}: ${undecidable}`);
      points.push({ values, settings, plan: read.plan });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      for (const line of error.message.split('\n')) problems.add(line);
    }
  }
  if (problems.size > 0) throw new Problem([...problems].join('\n'));
  return { points, warnings: [...warnings] };
};

interface ReadOptions {
  readonly vary: readonly string[];
  readonly repetitions: number;
  readonly answerTime: Milliseconds;
}

/** Reads the variables of a sweep, the plan of each point, and what each run needs. Throws a `Problem` if there are none, too many, or one cannot be read. */
export const readSweep = async (
  source: PlanSource,
  { vary, repetitions, answerTime }: ReadOptions,
  environment: Environment,
): Promise<ReadSweep> => {
  const variables = await readSweepVariables(source, vary, environment);
  if (variables.length === 0) {
    throw new Problem(
      'a sweep needs a field to vary: add --vary load.users=1,2,4,8, or `vary: {load.users: [1, 2, 4, 8]}` to the scenario',
    );
  }
  const count = variables.reduce((product, { values }) => product * values.length, 1);
  if (count > maxPoints) {
    throw new Problem(
      `the sweep has ${count.toLocaleString('en-US')} points, one for each combination of values; expected at most ${maxPoints.toLocaleString('en-US')}`,
    );
  }
  const { points, warnings } = await readPoints(source, variables, environment);
  const named = variables.map(({ path, values }) => ({
    path,
    values: values.map(({ text }) => text),
    isLoad: isLoadPath(path),
  }));
  const forecastsOf = async (point: number): Promise<readonly Forecast[]> => {
    const forecasts: Forecast[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const run = sourceOfRun(source, { variables: named, points }, { point, repetition });
      forecasts.push(forecastOf(await readPlanWithFiles(run, environment), answerTime));
    }
    return forecasts;
  };
  const forecast: SweepPointPlan[] = [];
  for (const [i, point] of points.entries()) {
    forecast.push({ ...point, forecasts: await forecastsOf(i) });
  }
  return { variables: named, points: forecast, warnings };
};

/** The longest name of a plan. */
const maxNameLength = 200;

/**
 * What one run of a point is read from. Each run has requests of its own, the same in every sweep with this
 * seed: answers cached for one run must not help the next.
 */
export const sourceOfRun = (
  source: PlanSource,
  {
    variables,
    points,
  }: {
    readonly variables: readonly SweepVariable[];
    readonly points: readonly SweepPoint[];
  },
  { point, repetition }: SweepSlot,
): PlanSource => {
  const { settings, values, plan } = points[point]!;
  const isVaried = (path: string): boolean => variables.some((each) => each.path === path);
  const name = `${plan.name}: ${pointName(variables, values)}`.slice(0, maxNameLength);
  const seed = plan.seed + 1 + repetition * points.length + point;
  const added = Object.entries({ name, seed }).flatMap(([path, value]) =>
    isVaried(path) ? [] : [{ path, flag: path, value }],
  );
  return { ...source, point: [...settings, ...added] };
};

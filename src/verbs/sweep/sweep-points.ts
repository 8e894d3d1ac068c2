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
import { drawFrom } from '../../model/workload/draw.ts';
import { totalNeed } from '../../engine/forecast/needs-tally.ts';
import { amountText } from '../../report/run/forecast-document.ts';
import { countText, moneyText, plural, timeText } from '../../report/text/number-text.ts';

export interface SweepRequest {
  readonly source: PlanSource;
  /** The variables, each written as `PATH=VALUES`. */
  readonly vary: readonly string[];
  readonly repetitions: number;
  readonly pause: string | undefined;
  readonly answerTime: string | undefined;
  /** The figures by which points are judged; absent if the data of the runs decide which figures are used. */
  readonly throughput: string | undefined;
  readonly latency: string | undefined;
  readonly yes: boolean;
  readonly preflight?: boolean;
  readonly out: string | undefined;
}

interface SweepPoint {
  readonly values: readonly string[];
  readonly settings: readonly PointSetting[];
  readonly plan: Plan;
}

export interface ReadSweep {
  readonly variables: readonly SweepVariable[];
  /**
   * The points, with a forecast for each run of a point. The forecasts of one point differ, since each run draws its
   * own arrivals and prompts.
   */
  readonly points: readonly (SweepPoint & { readonly forecasts: readonly Forecast[] })[];
  /** Sentences about objectives that cannot be decided, since a point has too few requests. */
  readonly warnings: readonly string[];
}

const maxPoints = 1000;

/** Returns all combinations of one value for each variable. The last variable changes fastest. */
const combinationsOf = (variables: readonly Variable[]) =>
  variables.reduce<readonly (readonly (PointSetting & { readonly text: string })[])[]>(
    (combinations, { path, flag, values }) =>
      combinations.flatMap((chosen) =>
        values.map(({ value, text }) => [...chosen, { path, flag, value, text }]),
      ),
    [[]],
  );

/**
 * Reads every point. Throws a single `Problem` that lists all faults of all points. A fault of several points is listed
 * once.
 */
const readPoints = async (
  source: PlanSource,
  variables: readonly Variable[],
  environment: Environment,
) => {
  const problems = new Set<string>();
  const points: SweepPoint[] = [];
  const warnings = new Set<string>();
  for (const chosen of combinationsOf(variables)) {
    const settings = chosen.map(({ path, flag, value }) => ({ path, flag, value }));
    const values = chosen.map(({ text }) => text);
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

/**
 * Reads the variables of a sweep, the plan of each point, and the forecast of each run. Throws a `Problem` if there are
 * no variables or too many points, or if a point cannot be read.
 */
export const readSweep = async (
  source: PlanSource,
  {
    vary,
    repetitions,
    answerTime,
  }: Pick<SweepRequest, 'vary' | 'repetitions'> & { readonly answerTime: Milliseconds },
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
  const forecast = points.map((point) => ({ ...point, forecasts: [] as Forecast[] }));
  for (const [point, { forecasts }] of forecast.entries()) {
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const run = sourceOfRun(source, { variables: named, points }, { point, repetition });
      forecasts.push(forecastOf(await readPlanWithFiles(run, environment), answerTime));
    }
  }
  return { variables: named, points: forecast, warnings };
};

const maxNameLength = 200;

/**
 * Returns the source of the plan of one run. Each run has its own requests, so cached answers of one run do not
 * speed up the next run. The requests are the same in every sweep with this seed.
 */
export const sourceOfRun = (
  source: PlanSource,
  { variables, points }: Pick<ReadSweep, 'variables'> & { readonly points: readonly SweepPoint[] },
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

/** One run of a sweep: the index of its point, and the index of the run within the point, both from 0. */
export interface SweepSlot {
  readonly point: number;
  readonly repetition: number;
}

/** The key of the random draws for the order of runs. No other draws with the same seed use this key. */
const orderDraw = 0x5_eed;

/**
 * Returns the order of all runs. Each repetition is a block with every point once, in a random order (Fisher and
 * Yates). So a drift of the environment affects all values alike.
 */
export const sweepOrder = (
  points: number,
  repetitions: number,
  seed: number,
): readonly SweepSlot[] =>
  Array.from({ length: repetitions }, (_, repetition) => {
    const draw = drawFrom(seed, orderDraw, repetition);
    const order = Array.from({ length: points }, (__, point) => point);
    for (let last = points - 1; last > 0; last -= 1) {
      const other = Math.floor(draw.uniform() * (last + 1));
      [order[last], order[other]] = [order[other]!, order[last]!];
    }
    return order.map((point) => ({ point, repetition }));
  }).flat();

/** Returns lines about the points, and about the requests, tokens, money and minutes that the runs need. */
export const sweepPlanLines = (
  { variables, points, warnings }: ReadSweep,
  repetitions: number,
  pauseLength: Milliseconds,
): readonly string[] => {
  const forecasts = points.flatMap((point) => point.forecasts);
  const runs = forecasts.length;
  const { requests, input, output, cost } = totalNeed(forecasts.flatMap(({ groups }) => groups));
  const load = forecasts.reduce((sum, { scheduled }) => sum + scheduled, 0);
  const longestGrace = Math.max(...forecasts.map(({ grace }) => grace));
  const { answerTime } = forecasts[0]!;
  const product = variables.map(({ values }) => values.length).join(' × ');
  const order = runs === 1 ? '' : `, in random order (seed ${points[0]!.plan.seed})`;
  const width = Math.max(...variables.map(({ path }) => path.length));
  const pauses = pauseLength > 0 && runs > 1 ? ` with pauses of ${timeText(pauseLength)}` : '';
  const assumed = answerTime === null ? '' : `, if an answer takes ${timeText(answerTime)}`;
  const budget = [
    `${amountText(requests, countText)} ${requests.sum === 1 ? 'request' : 'requests'}${assumed}`,
    `tokens: ${amountText(input, countText)} in, ${amountText(output, countText)} out`,
    `cost: ${amountText(cost, (sum) => moneyText(Math.ceil(sum)))}`,
    `${timeText(load + pauseLength * (runs - 1))} of load${pauses}, and at most ${timeText(longestGrace)} after each run for the last answers`,
  ];
  return [
    `Sweep: ${variables.length > 1 ? `${product} = ` : ''}${plural(points.length, 'point')}, ${plural(repetitions, 'run')} each${order}`,
    ...variables.map(({ path, values }) => `  ${path.padEnd(width)}  ${values.join(', ')}`),
    `Budget: ${budget.join('; ')}.`,
    ...warnings,
  ];
};

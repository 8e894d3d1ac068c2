import { estimatedRequests, forecastPlan } from '../engine/forecast/forecast-plan.ts';
import { forecastDecisions, forecastSamples } from '../judge/objectives/forecast-samples.ts';
import { budgetUnits } from '../model/plan/budget.ts';
import type {
  CachedShare,
  ForecastAmount,
  BudgetForecast,
  Forecast,
  ResourceNeed,
} from '../model/plan/forecast.ts';
import type { Plan } from '../model/plan/plan.ts';
import { retriesOf } from '../model/plan/population.ts';
import { fleetForecast, type SliceForecast } from '../model/plan/slice-forecast.ts';
import { maxLedgerRows } from '../model/observation/ledger.ts';
import { stageSpans } from '../model/plan/stage-spans.ts';
import { type Milliseconds, milliseconds } from '../model/quantity.ts';
import { OverBudget, Problem } from '../platform/problem.ts';
import { moneyText, plural, timeText } from '../report/text/number-text.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { terminalText } from '../report/document/terminal-writer.ts';
import { budgetNeedText, forecastDocument } from '../report/run/forecast-document.ts';
import { weirVersion } from '../platform/host/machine.ts';
import { durationNotation } from '../scenario/schema/notation.ts';
import type { Host } from './input/host.ts';
import { bounded, readOption } from './input/read-option.ts';
import { type PlanSource, type ReadPlanWithFiles, readPlanWithFiles } from './input/read-plan.ts';
import { peakOf } from '../engine/worker-count.ts';
import { neededSlices, sliceForecast } from '../judge/calibration/needed-slices.ts';
import { readCalibration } from '../platform/files/calibration-file.ts';
import type { Environment } from '../scenario/text/environment-template.ts';
import { calibrationPath } from './calibration-note.ts';
import { sumOf } from '../model/sums.ts';

/** If the users of a load wait for answers, each answer is assumed to take this long. */
const defaultAnswerTime = milliseconds(1000);

const answerTimeNotation = bounded(durationNotation, (time) => time >= 1, ', at least 1ms');

/** Returns the value of `--answer-time`, or the default. */
export const answerTimeFrom = (text: string | undefined): Milliseconds =>
  text === undefined ? defaultAnswerTime : readOption('answer-time', text, answerTimeNotation);

const maxRequests = 10_000_000;

/**
 * Throws a `Problem` if the plan's users would send too many requests in all. `answerTime` is the assumed time for each
 * answer, in ms.
 */
const checkUsers = ({ stages }: Plan, answerTime: number): void => {
  const requestCount = sumOf(stages, ({ load }) => estimatedRequests(load, answerTime));
  if (requestCount > maxRequests) {
    throw new Problem(
      `the users would send ${plural(requestCount, 'request')} if every answer took ${answerTime} ms; expected at most ${plural(maxRequests, 'request')}. Set the length of an answer with --answer-time`,
    );
  }
};

const budgetOf = (
  { budget }: Plan,
  { requests, input, output, cost }: ResourceNeed,
): readonly BudgetForecast[] => {
  const tokens: ForecastAmount = {
    sum: input.sum + output.sum,
    basis: input.basis === 'estimate' ? 'estimate' : output.basis,
    unknown: input.unknown + output.unknown,
  };
  const needs = { requests, tokens, cost };
  return budgetUnits.flatMap((unit) => {
    const cap = budget?.[unit] ?? null;
    return cap === null ? [] : [{ unit, cap, need: needs[unit] }];
  });
};

/**
 * Forecasts the requests, tokens, cost and duration of a plan. Throws a `Problem` if the plan's users would send too
 * many requests.
 */
export const forecastOf = (
  { plan, clips, workload }: ReadPlanWithFiles,
  answerTime: Milliseconds,
  slices: SliceForecast | null = null,
  cachedShares?: readonly CachedShare[],
): Forecast => {
  checkUsers(plan, answerTime);
  const needs = forecastPlan({ plan, clips, workload, answerTime, cachedShares });
  const { groups, total } = needs;
  return {
    format: 'forecast/1',
    name: plan.name,
    ...needs,
    scheduled: milliseconds(scheduledEnd(plan)),
    grace: milliseconds(plan.grace),
    attempts: Math.max(...retriesOf(plan).map((retry) => retry?.attempts ?? 1)),
    samples: forecastSamples(groups, plan),
    objectives: forecastDecisions(groups, plan),
    budget: budgetOf(plan, total),
    slices,
    ...(slices === null
      ? {}
      : {
          fleet: fleetForecast(slices, {
            requests: total.requests.sum,
            scheduled: scheduledEnd(plan),
            rows: maxLedgerRows * plan.keys.length,
          }),
        }),
    ...(cachedShares === undefined ? {} : { cachedShares }),
  };
};

/** Returns whether the number of requests depends on the times of the answers. */
const isUnpredictable = ({ stages }: Plan): boolean =>
  stages.some(({ load }) => load.kind === 'closed' || load.kind === 'saturate');

const capText = ({ unit, cap }: BudgetForecast): string =>
  unit === 'cost' ? moneyText(cap) : cap.toLocaleString('en-US');

const overBudget = (plan: Plan, { budget }: Forecast): readonly string[] =>
  budget.flatMap((each) => {
    const { unit, cap, need } = each;
    if (unit !== 'requests' && need.unknown > 0) {
      const remedy = unit === 'tokens' ? 'maxTokens' : 'maxTokens and prices';
      return [
        `budget.${unit} is ${capText(each)}, but nothing bounds the ${unit} of ${plural(need.unknown, 'request')}: give them ${remedy}`,
      ];
    }
    return need.sum > cap && !isUnpredictable(plan)
      ? [
          `budget.${unit} is ${capText(each)}, and the plan needs ${budgetNeedText(unit, need)}: raise it or send less`,
        ]
      : [];
  });

const overPace = ({ pace, total: { requests } }: Forecast): readonly string[] => {
  if (pace === null || pace.unsendable === 0) return [];
  const [allowed, all] = [requests.sum - pace.unsendable, requests.sum];
  return [
    `pace allows ${plural(allowed, 'request')} before the run ends or their total deadline passes, and the plan has ${plural(all, 'request')}: lengthen the load or "grace", add keys, or lower the rate`,
  ];
};

/**
 * Throws a `Problem` if a plan may need more than its own budget, or has more requests than its own pace allows. A load
 * above the declared limits is allowed, since the purpose of the run may be to see refusals.
 */
export const checkPlanFits = (read: ReadPlanWithFiles): void => {
  const { plan } = read;
  if (plan.budget === null && plan.pace === null) return;
  const forecast = forecastOf(read, defaultAnswerTime);
  const reasons = [...overBudget(plan, forecast), ...overPace(forecast)];
  if (reasons.length > 0) {
    const outcome = plan.budget === null ? '' : ', and its budget then ends it';
    throw new OverBudget(
      `${reasons.join('\n')}\n\`weir plan\` shows more; --yes runs it anyway${outcome}`,
    );
  }
};

/**
 * Returns a sentence for each objective for which the plan has too few requests. Returns no sentences if the number of
 * requests depends on how long answers take.
 */
export const undecidableObjectives = (read: ReadPlanWithFiles): readonly string[] => {
  const { plan } = read;
  if (plan.objectives.length === 0 || isUnpredictable(plan)) return [];
  const [doubt, given] =
    plan.autoWarmUp === undefined
      ? (['cannot', (samples: string) => `at most ${samples}`] as const)
      : (['may not', (samples: string) => `${samples} after the longest warm-up`] as const);
  return forecastOf(read, defaultAnswerTime)
    .objectives.filter(({ isDecidable }) => isDecidable === false)
    .map(
      ({ text, needs, expects }) =>
        `The objective ${text} ${doubt} be decided: it needs ${plural(needs ?? 0, 'sample')}, and the plan gives ${given((expects ?? 0).toLocaleString('en-US'))}. Lengthen the load or raise its rate, or set "minSamples".`,
    );
};

/**
 * Returns a warning if a run with `until: decided` ends before the first check of its objectives; otherwise nothing.
 */
export const lateLookWarning = async (plan: Plan): Promise<readonly string[]> => {
  if (plan.until === undefined) return [];
  const { nextLook } = await import('../judge/objectives/stopping-rule.ts');
  const [first, end] = [nextLook(plan, 0), stageSpans(plan).at(-1)!.to];
  if (first < end) return [];
  return [
    `The run cannot end early: it looks after ${timeText(first)} for the first time whether its objectives are sure, and lasts at most ${timeText(end)}. Raise "atMost", or leave out "until".`,
  ];
};

/**
 * Forecasts what each slice of a plan needs. With `auto`, this machine's calibration recommends the number of slices.
 * `answerTime` is in ms; `null` means an estimate. Throws a `Problem` if the calibration is needed but unusable.
 */
const forecastSlices = async (
  plan: Plan,
  slices: number | 'auto',
  answerTime: number | null,
  environment: Environment,
): Promise<SliceForecast> => {
  const peak = peakOf(plan, answerTime);
  if (slices !== 'auto') return sliceForecast(peak, slices, null);
  const path = calibrationPath(environment);
  const calibration = path === null ? null : await readCalibration(path);
  if (calibration === null)
    throw new Problem(
      '--slices auto: this machine is not calibrated: run `weir calibrate` first, on a machine like those of the slices, or give their number',
    );
  const found = neededSlices(calibration, peak, plan);
  if (found !== null) return found;
  throw new Problem(
    `--slices auto: with the transport ${plan.transport}${plan.workers === 'auto' ? '' : ` and ${plural(plan.workers, 'worker')}`} every load of this machine’s calibration was invalid, or there was none: calibrate again on an idle machine, or give their number`,
  );
};

interface ForecastRequest {
  readonly source: PlanSource;
  readonly answerTime: string | undefined;
  /** The number of slices. With `auto`, the number comes from this machine's calibration. */
  readonly slices: number | 'auto' | undefined;
  /** The result whose cached shares the cost forecast assumes. */
  readonly like?: string | undefined;
}

/**
 * Reads the cached shares of an earlier result. Throws a `Problem` if no answer in that result reports cached tokens.
 */
const sharesLike = async (path: string): Promise<readonly CachedShare[]> => {
  const { readStoredResult } = await import('./input/read-result.ts');
  const { cachedSharesOf } = await import('../model/result/cached-shares.ts');
  const { file, result } = await readStoredResult(path);
  const shares = cachedSharesOf(result);
  if (shares.length > 0) return shares;
  throw new Problem(
    `--like: no answer in ${file} reports cached tokens: give a result of a server whose usage has them, or leave --like out`,
  );
};

export const printForecast = async (
  { source, answerTime, slices, like }: ForecastRequest,
  { environment, printer }: Host,
): Promise<void> => {
  const read = await readPlanWithFiles(source, environment);
  const length = answerTimeFrom(answerTime);
  const shares =
    slices === undefined
      ? null
      : await forecastSlices(
          read.plan,
          slices,
          answerTime === undefined ? null : length,
          environment,
        );
  const cachedShares = like === undefined ? undefined : await sharesLike(like);
  const forecast = forecastOf(read, length, shares, cachedShares);
  const warnings = await lateLookWarning(read.plan);
  printer.print({
    json: JSON.stringify(forecast, null, 2),
    text: (style) =>
      terminalText(forecastDocument(weirVersion(), forecast, read.plan, warnings), style),
  });
};

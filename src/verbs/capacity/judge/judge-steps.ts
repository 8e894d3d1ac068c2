import type { EstimatedRange, CapacityStep, StepBreach } from '../model/capacity.ts';
import { meanOf } from '../../../judge/statistics/significance.ts';
import { criticalT } from '../../../judge/statistics/student-t.ts';
import type { Stage } from '../../../model/plan/plan.ts';
import { perSecond } from '../../../model/quantity.ts';
import type { Result } from '../../../model/result/result.ts';
import {
  serverFiguresRead,
  serverSamplesIn,
  serverValuesOf,
} from '../../../model/result/server-metrics.ts';
import { countArrivals, sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import { figuresOver, groupsMatching, type LabelFilter } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import { stageSpans } from '../../../model/plan/stage-spans.ts';
import { judgeTrust } from '../../../judge/trust/judge-trust.ts';
import { objectiveBreaches } from './step-objectives.ts';

/** The lag-1 autocorrelation of residuals, 0 … 0.9; negative values count as 0. */
const autocorrelation = (residuals: readonly number[]): number => {
  let own = 0;
  let next = 0;
  for (const [i, residual] of residuals.entries()) {
    own += residual * residual;
    next += residual * (residuals[i + 1] ?? 0);
  }
  return own === 0 ? 0 : Math.min(0.9, Math.max(0, next / own));
};

/**
 * The slope of a series over its index by least squares, with a 95 % interval. Neighbours correlate, so
 * the number of samples is reduced to n (1 − ρ) / (1 + ρ), ρ their lag-1 autocorrelation (Bayley &
 * Hammersley 1946). With fewer than three samples the interval is unbounded.
 */
export const slopeOf = (series: readonly number[]): EstimatedRange => {
  const n = series.length;
  if (n < 3) return { value: 0, low: -Infinity, high: Infinity };
  const middle = (n - 1) / 2;
  const level = meanOf(series);
  const spread = (n * (n * n - 1)) / 12;
  const value = series.reduce((sum, each, i) => sum + (i - middle) * (each - level), 0) / spread;
  const residuals = series.map((each, i) => each - level - value * (i - middle));
  const rho = autocorrelation(residuals);
  const effective = Math.max(3, (n * (1 - rho)) / (1 + rho));
  const variance = residuals.reduce((sum, each) => sum + each * each, 0) / (effective - 2);
  const error = criticalT(0.05, effective - 2) * Math.sqrt(variance / spread);
  return { value, low: value - error, high: value + error };
};

/** Growth up to this share of the arrivals cannot be distinguished from none. */
const growthTolerance = 0.02;
/** Growth below this is certainly none. */
const growthCertainlyBelow = 0.05;
/** Maximum relative difference of the halves of a settled step. */
const settledSpread = 0.04;

/** Minimum whole seconds for a slope. */
const minSeconds = 3;

/** The rate of a stage with a constant open load; `null` for any other. */
const rateOf = ({ load }: Stage): number | null => {
  if (load.kind !== 'open') return null;
  const rate = load.curve[0]!.to;
  const isConstant = load.curve.every(({ from, to }) => from === rate && to === rate);
  return isConstant && rate > 0 ? rate : null;
};

/** The flow through a step: its second half, in whole seconds. */
const flowOf = ({ timeline }: Result, from: number, to: number) => {
  const bySecond = new Map(timeline.map((second) => [second.second, second]));
  const completed: number[] = [];
  /** At the start of each second and at the end. */
  const inFlight: number[] = [];
  let running = 0;
  for (let second = 0; second <= to; second += 1) {
    const { begun = 0, ended = 0, outcomes } = bySecond.get(second) ?? {};
    if (second >= from) inFlight.push(running);
    if (second >= from && second < to) completed.push(outcomes?.completed ?? 0);
    running += begun - ended;
  }
  const half = Math.ceil(completed.length / 2);
  const [first, second] = [meanOf(completed.slice(0, half)), meanOf(completed.slice(-half))];
  const throughput = meanOf(completed);
  const spread = throughput === 0 ? 1 : Math.abs(first - second) / (2 * throughput);
  return { inFlight: meanOf(inFlight), slope: slopeOf(inFlight), throughput, spread };
};

const growthBreach = (growth: EstimatedRange, rate: number): readonly StepBreach[] => {
  if (growth.low <= growthTolerance) return [];
  const [value, low, high] = [growth.value, growth.low, growth.high].map((each) =>
    String(Number((each * rate).toPrecision(2))),
  );
  const text = `requests in flight grew by ${value} each second [${low} … ${high}]; expected no growth beyond ${growthTolerance * 100} % of the arrivals`;
  return [{ bound: 'concurrency', text }];
};

const tokensOf = (result: Result, where: LabelFilter): number | null => {
  const sums = groupsMatching(result, where).flatMap(({ tokens }) => tokens);
  const answers = sums.reduce((sum, each) => sum + each.answers, 0);
  const isReported = answers > 0 && sums.every((each) => each.answers === each.answersWithInput);
  return isReported
    ? sums.reduce((sum, { input, output }) => sum + input + output, 0) / answers
    : null;
};

/** Bounded, since JSON has no infinity. */
const growthOf = ({ value, low, high }: EstimatedRange, rate: number): EstimatedRange => {
  const bounded = (slope: number): number => Math.min(1, Math.max(-1, slope / rate));
  return { value: bounded(value), low: bounded(low), high: bounded(high) };
};

const figuresOf = (
  result: Result,
  where: LabelFilter,
): Pick<CapacityStep, 'latency' | 'ttftP95' | 'tokens' | 'cost'> => {
  const endToEnd = figuresOver(result, 'endToEnd', where);
  const [p50, p95] = [endToEnd.percentile(0.5), endToEnd.percentile(0.95)];
  return {
    latency: p50 && p95 && { mean: endToEnd.mean ?? 0, p50: p50.value, p95: p95.value },
    ttftP95: figuresOver(result, 'ttft', where).percentile(0.95)?.value ?? null,
    tokens: tokensOf(result, where),
    cost: figuresOver(result, 'cost', where).mean,
  };
};

const verdictOf = (
  { level, evidence }: Trust,
  criteria: ReturnType<typeof objectiveBreaches>,
  growth: EstimatedRange,
  growthBreaches: readonly StepBreach[],
): Pick<CapacityStep, 'verdict' | 'sure' | 'breaches'> => {
  if (level === 'invalid') {
    const faults = evidence
      .filter((each) => each.level === level)
      .map(({ signal, observed }) => ({ bound: 'none' as const, text: `${signal}: ${observed}` }));
    return { verdict: 'unfit', sure: false, breaches: faults };
  }
  const breaches = [...growthBreaches, ...criteria.breaches];
  if (breaches.length > 0) {
    return { verdict: 'broken', sure: growthBreaches.length > 0 || criteria.sure, breaches };
  }
  const verdict = criteria.undecided ? 'undecided' : 'kept';
  return { verdict, sure: growth.high < growthCertainlyBelow && criteria.sure, breaches };
};

/** The means of what the server said of itself between two instants in ms. */
const serverOf = ({ server }: Result, from: number, to: number): Pick<CapacityStep, 'server'> => {
  if (server === undefined) return {};
  const samples = serverSamplesIn(server, from, to);
  const means = serverFiguresRead(samples).map(
    (name) => [name, meanOf(serverValuesOf(samples, name))] as const,
  );
  return means.length === 0 ? {} : { server: Object.fromEntries(means) };
};

/** A stage of constant rate as a step; `null` if its second half is too short. */
const judgeStep = (
  result: Result,
  stage: Stage,
  span: { readonly from: number; readonly to: number },
  name: string,
): CapacityStep | null => {
  const rate = rateOf(stage);
  const measuredFrom = Math.max(span.from, result.plan.warmUp);
  const from = Math.ceil(Math.max(measuredFrom, (span.from + span.to) / 2) / 1000);
  // A stopped load offers nothing afterwards.
  const ended = Math.min(span.to, result.scheduled);
  const to = Math.floor(ended / 1000);
  if (rate === null || to - from < minSeconds) return null;
  const where: LabelFilter = ({ stage: label, warmUp }) => label === stage.name && !warmUp;
  const outcomes = sumOutcomes(groupsMatching(result, where));
  const arrivals = countArrivals(outcomes);
  if (arrivals === 0) return null;
  const isEven = stage.load.kind === 'open' && stage.load.spacing === 'even';
  const { completed, limited } = outcomes;
  const flow = flowOf(result, from, to);
  const growth = growthOf(flow.slope, rate);
  const growthBreaches = growthBreach(growth, rate);
  const figures = figuresOf(result, where);
  const { latency } = figures;
  const isSteady = growthBreaches.length === 0 && latency !== null;
  const criteria = objectiveBreaches(result, stage.name, outcomes);
  return {
    name,
    // Random arrivals differ from the planned rate.
    rate: perSecond(isEven ? rate : arrivals / ((ended - measuredFrom) / 1000)),
    seconds: to - from,
    arrivals,
    completed,
    limited,
    goodput: criteria.goodput,
    throughput: flow.throughput,
    spread: flow.spread,
    growth,
    // Samples once a second miss short requests; for a steady flow Little’s law does not.
    inFlight: isSteady ? (flow.throughput * latency.mean) / 1000 : flow.inFlight,
    ...figures,
    ...serverOf(result, from * 1000, to * 1000),
    ...verdictOf(judgeTrust(result), criteria, growth, growthBreaches),
  };
};

/** Whether the throughput of a step was constant: then it is the maximum at that load. */
export const isSettled = ({ spread, completed }: CapacityStep): boolean =>
  spread < settledSpread && completed > 0;

export const judgeSteps = (
  result: Result,
  nameOf: (stage: string) => string,
): readonly CapacityStep[] => {
  const spans = stageSpans(result.plan);
  return result.plan.stages.flatMap(
    (stage, i) => judgeStep(result, stage, spans[i]!, nameOf(stage.name)) ?? [],
  );
};

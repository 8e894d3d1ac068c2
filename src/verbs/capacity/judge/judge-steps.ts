import type { EstimatedRange, CapacityStep, StepBreach } from '../model/capacity.ts';
import { meanOf } from '../../../judge/statistics/significance.ts';
import type { Stage } from '../../../model/plan/plan.ts';
import { perSecond } from '../../../model/quantity.ts';
import type { Result } from '../../../model/result/result.ts';
import {
  serverFiguresRead,
  serverSamplesIn,
  serverValuesOf,
} from '../../../model/result/server-metrics.ts';
import { countArrivals, sumAwaited } from '../../../model/measures/outcome-counts.ts';
import { figuresOver, groupsMatching, type LabelFilter } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import { stageSpans } from '../../../model/plan/stage-spans.ts';
import { judgeTrust } from '../../../judge/trust/judge-trust.ts';
import { countingSpread, growthCertainlyBelow, growthOfFlow, provingArrivals } from './growth.ts';
import { objectiveBreaches } from './step-objectives.ts';
import { isEvidence, isWithinError } from './believed-rate.ts';

/** A step is broken if its requests in flight surely grew by more than this share of the arrivals. */
const growthTolerance = 0.02;

/** The minimum number of measured whole seconds of a step: fewer give no slope. */
const minSeconds = 3;

/** Returns the rate of a stage with a constant open load; `null` for any other stage. */
const rateOf = ({ load }: Stage): number | null => {
  if (load.kind !== 'open') return null;
  const rate = load.curve[0]!.to;
  const isConstant = load.curve.every(({ from, to }) => from === rate && to === rate);
  return isConstant && rate > 0 ? rate : null;
};

/** Returns the flow through a step in the whole seconds from `from` up to, but not including, `to`. */
const flowOf = ({ timeline }: Result, from: number, to: number) => {
  const bySecond = new Map(timeline.map((second) => [second.second, second]));
  const completed: number[] = [];
  const begunIn: number[] = [];
  const endedIn: number[] = [];
  /** The requests in flight at the start of each second of the flow, and at the end of the flow. */
  const inFlight: number[] = [];
  let running = 0;
  for (let second = 0; second <= to; second += 1) {
    const { begun = 0, ended = 0, outcomes } = bySecond.get(second) ?? {};
    if (second >= from) inFlight.push(running);
    if (second >= from && second < to) {
      completed.push(outcomes?.completed ?? 0);
      begunIn.push(begun);
      endedIn.push(ended);
    }
    running += begun - ended;
  }
  const half = Math.ceil(completed.length / 2);
  const [first, second] = [meanOf(completed.slice(0, half)), meanOf(completed.slice(-half))];
  const throughput = meanOf(completed);
  const difference = throughput === 0 ? 1 : Math.abs(first - second) / (2 * throughput);
  return {
    inFlight: meanOf(inFlight),
    begun: begunIn.reduce((sum, each) => sum + each, 0),
    growth: growthOfFlow({ begun: begunIn, ended: endedIn, inFlight }),
    throughput,
    spread: Math.max(difference, countingSpread(completed)),
  };
};

const growthBreach = (growth: EstimatedRange, rate: number): readonly StepBreach[] => {
  if (growth.low <= growthTolerance) return [];
  const [value, low, high] = [growth.value, growth.low, growth.high].map((each) =>
    String(Number((each * rate).toPrecision(2))),
  );
  const text = `requests in flight grew by ${value} each second [${low} … ${high}]; expected no growth beyond ${growthTolerance * 100} % of the arrivals`;
  return [{ bound: 'concurrency', text }];
};

/** Explains why the growth of a step's requests in flight is undecided: it may be harmless, but also too large. */
const growthDoubt = ({ low, high }: EstimatedRange): StepBreach => {
  const [least, most] = [low, high].map((each) => String(Number((each * 100).toPrecision(2))));
  const text = `requests in flight grew by ${least} … ${most} % of the arrivals; expected certainly less than ${growthCertainlyBelow * 100} %`;
  return { bound: 'concurrency', text };
};

const tokensOf = (result: Result, where: LabelFilter): number | null => {
  const sums = groupsMatching(result, where).flatMap(({ tokens }) => tokens);
  const answers = sums.reduce((sum, each) => sum + each.answers, 0);
  const isReported = answers > 0 && sums.every((each) => each.answers === each.answersWithInput);
  return isReported
    ? sums.reduce((sum, { input, output }) => sum + input + output, 0) / answers
    : null;
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
  { growth, begun }: Pick<ReturnType<typeof flowOf>, 'growth' | 'begun'>,
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
  if (criteria.undecided) return { verdict: 'undecided', sure: false, breaches };
  const isSteady = growth.high < growthCertainlyBelow;
  const doubts = [
    ...criteria.doubts,
    ...(!isSteady && begun >= provingArrivals ? [growthDoubt(growth)] : []),
  ];
  if (doubts.length > 0) return { verdict: 'undecided', sure: false, breaches: doubts };
  return { verdict: 'kept', sure: isSteady && criteria.sure, breaches };
};

/** Returns the means of the server's own metrics between two instants in ms. */
const serverOf = ({ server }: Result, from: number, to: number): Pick<CapacityStep, 'server'> => {
  if (server === undefined) return {};
  const samples = serverSamplesIn(server, from, to);
  const means = serverFiguresRead(samples).map(
    (name) => [name, meanOf(serverValuesOf(samples, name))] as const,
  );
  return means.length === 0 ? {} : { server: Object.fromEntries(means) };
};

/** If the last arrival is more than this many mean gaps before the planned end, the load was stopped early. */
const longestGap = 10;

/** Returns when the load of a stage ended, in ms. The load of a stopped stage ends with the last arrival. */
const endOf = (planned: number, lastArrival: number, rate: number): number =>
  planned - lastArrival <= (longestGap * 1000) / rate ? planned : Math.min(planned, lastArrival);

/**
 * Judges a stage of constant rate as a step. Returns `null` if less than 3 whole seconds remain after the stage has
 * settled.
 */
const judgeStep = (
  result: Result,
  stage: Stage,
  span: { readonly from: number; readonly to: number },
  name: string,
): CapacityStep | null => {
  const rate = rateOf(stage);
  const { warmUp, stages, until } = result.plan;
  if (rate === null) return null;
  const measuredFrom = Math.max(span.from, warmUp);
  const ended = endOf(span.to, result.scheduled, rate);
  // A step of a search settles in its warm-up. Any other stage settles in the first half of its planned time or, if its
  // plan may end early (`until`), in the first half of its actual time.
  const end = until === undefined ? span.to : ended;
  const settled = stages.length === 1 && warmUp > 0 ? warmUp : (span.from + end) / 2;
  const from = Math.ceil(Math.max(measuredFrom, settled) / 1000);
  const to = Math.floor(ended / 1000);
  if (to - from < minSeconds) return null;
  const where: LabelFilter = (labels) => labels.stage === stage.name && !labels.warmUp;
  const outcomes = sumAwaited(groupsMatching(result, where));
  const arrivals = countArrivals(outcomes);
  if (arrivals === 0) return null;
  const isEven = stage.load.kind === 'open' && stage.load.spacing === 'even';
  const { completed, limited } = outcomes;
  const flow = flowOf(result, from, to);
  const { growth } = flow;
  const growthBreaches = growthBreach(growth, rate);
  const figures = figuresOf(result, where);
  const { latency } = figures;
  const isSteady = growthBreaches.length === 0 && latency !== null;
  const criteria = objectiveBreaches(result, stage.name, outcomes);
  return {
    name,
    // Random arrivals have another rate than planned, so the observed rate is used.
    rate: perSecond(isEven ? rate : arrivals / ((ended - measuredFrom) / 1000)),
    seconds: to - from,
    warmUp: from - Math.round(span.from / 1000),
    arrivals,
    completed,
    limited,
    goodput: criteria.goodput,
    throughput: flow.throughput,
    spread: flow.spread,
    growth,
    // Samples once a second miss short requests. In a steady flow, Little’s law includes short requests, so the law is
    // used.
    inFlight: isSteady ? (flow.throughput * latency.mean) / 1000 : flow.inFlight,
    ...figures,
    ...serverOf(result, from * 1000, to * 1000),
    misses: [...criteria.misses],
    ...verdictOf(judgeTrust(result), criteria, flow, growthBreaches),
  };
};

export const judgeSteps = (
  result: Result,
  nameOf: (stage: string) => string,
): readonly CapacityStep[] => {
  const spans = stageSpans(result.plan);
  return result.plan.stages.flatMap(
    (stage, i) => judgeStep(result, stage, spans[i]!, nameOf(stage.name)) ?? [],
  );
};

/**
 * Returns the step as kept, but not surely, if only the growth of its requests in flight is undecided and the estimated
 * growth is below 5 %. Returns any other step unchanged.
 */
const keptIfLikely = (step: CapacityStep): CapacityStep =>
  step.verdict === 'undecided' &&
  isEvidence(step) &&
  !isWithinError(step) &&
  step.growth.value < growthCertainlyBelow
    ? { ...step, verdict: 'kept', breaches: [] }
    : step;

/**
 * Judges stages of finished runs. A search repeats an undecided step at twice the length. A finished run cannot be
 * repeated, so the likelier verdict is used.
 */
export const judgeStoredSteps = (
  ...of: Parameters<typeof judgeSteps>
): ReturnType<typeof judgeSteps> => judgeSteps(...of).map(keptIfLikely);

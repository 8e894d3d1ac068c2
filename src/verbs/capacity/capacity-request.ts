import type { Highest } from './capacity-budget.ts';
import { defaultPrecision, type SearchTerms } from './judge/next-step.ts';
import { asksForLatency, samplesFor } from './judge/step-objectives.ts';
import { type LimitsPerMinute, sumOfLimits } from '../../model/plan/limits-per-minute.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Milliseconds, milliseconds, perSecond } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import type { SearchBudget } from './find-capacity.ts';
import {
  durationNotation,
  type Notation,
  percentageNotation,
  rateNotation,
} from '../../scenario/schema/notation.ts';
import { bounded, readOption, readWhole } from '../../run/input/read-option.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';

export interface CapacityRequest {
  /** The plan to search with; `null` if the answer comes from stored results. */
  readonly source: PlanSource | null;
  readonly from: readonly string[];
  readonly think: string | undefined;
  readonly start: string | undefined;
  readonly top: string | undefined;
  readonly precision: string | undefined;
  readonly requests: string;
  readonly time: string;
  readonly yes: boolean;
  readonly preflight?: boolean;
  readonly out: string | undefined;
}

const readPositive = <Quantity extends number>(
  name: string,
  text: string,
  notation: Notation<Quantity>,
): Quantity =>
  readOption(
    name,
    text,
    bounded(notation, (quantity) => quantity > 0, ', above 0'),
  );

const defaultThinkTime = milliseconds(20_000);

const scenarioThinkTime = ({ stages }: Plan): Milliseconds => {
  const [declaredThinkTime] = stages.flatMap(({ load }) =>
    (load.kind === 'closed' || load.kind === 'iterations') && load.thinkTime > 0
      ? [load.thinkTime]
      : [],
  );
  return declaredThinkTime ?? defaultThinkTime;
};

/** The first step's rate is 1/s or, if this is lower, the highest allowed rate divided by this number. */
const firstStepDivisor = 4;
/** If the first step would need more than this many seconds for its samples, its rate is raised. */
const maxFirstStepSeconds = 240;

/** Returns the requests per second that all keys may send together under the declared limit per key. */
export const declaredCeiling = (requestsPerMinute: number | null, keys: number): number =>
  requestsPerMinute === null ? Infinity : (requestsPerMinute * keys) / 60;

/** Returns the mean limit of a plan's keys, per minute; `null` if a key has no limit. */
const meanLimit = (plan: Plan, field: keyof LimitsPerMinute): number | null => {
  const sum = sumOfLimits(plan, field) ?? Infinity;
  return Number.isFinite(sum) ? Math.floor(sum / plan.keys.length) : null;
};

export const searchTermsFor = (plan: Plan, request: CapacityRequest): SearchTerms => {
  const requestsPerMinute = meanLimit(plan, 'requestsPerMinute');
  const keys = plan.keys.length;
  const samples = samplesFor(plan);
  const forLatency = asksForLatency(plan);
  const top = readPositive('top', request.top ?? '1000/s', rateNotation);
  const most = Math.min(top, declaredCeiling(requestsPerMinute, keys));
  const first = Math.max(Math.min(1, most / firstStepDivisor), (2 * samples) / maxFirstStepSeconds);
  const start =
    request.start === undefined
      ? Math.min(first, most)
      : readPositive('start', request.start, rateNotation);
  if (start > most) {
    throw new Problem(
      `--start: expected a rate of at most ${Number(most.toPrecision(4))}/s, what --top and the declared limits allow; got ${request.start}`,
    );
  }
  return {
    thinkTime:
      request.think === undefined
        ? scenarioThinkTime(plan)
        : readPositive('think', request.think, durationNotation),
    requestsPerMinute,
    tokensPerMinute: meanLimit(plan, 'tokensPerMinute'),
    keys,
    start: perSecond(start),
    top,
    precision:
      request.precision === undefined
        ? defaultPrecision[forLatency ? 'latency' : 'flow']
        : readPositive('precision', request.precision, percentageNotation),
    forLatency,
    samples,
  };
};

/**
 * Returns the highest rate that a search may try: `--top` or, if lower, the rate that the declared limit of requests
 * allows. A limit of tokens is left out, since the tokens of a request are not known before the search.
 */
export const highestTried = ({ top, requestsPerMinute, keys }: SearchTerms): Highest => {
  const declared = declaredCeiling(requestsPerMinute, keys);
  return { rate: Math.min(top, declared), isDeclared: declared <= top };
};

/** A search has at most this many steps, since more steps improve the answer little. */
const maxSteps = 40;

export const searchBudgetFor = (
  { requests, time }: CapacityRequest,
  terms: SearchTerms,
): SearchBudget => {
  const most = readWhole('requests', requests, 1);
  const seconds = readPositive('time', time, durationNotation) / 1000;
  return {
    requests: Math.min(most, Math.ceil(highestTried(terms).rate * seconds)),
    seconds,
    steps: maxSteps,
  };
};

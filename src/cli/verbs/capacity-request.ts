import type { SearchTerms } from '../../judge/capacity/next-step.ts';
import { asksForLatency, samplesFor } from '../../judge/capacity/step-objectives.ts';
import type { Plan } from '../../model/plan/plan.ts';
import { type Milliseconds, milliseconds, perSecond } from '../../model/quantity.ts';
import { Problem } from '../../platform/problem.ts';
import type { SearchBudget } from '../../probe/find-capacity.ts';
import {
  durationNotation,
  type Notation,
  percentageNotation,
  rateNotation,
} from '../../scenario/schema/notation.ts';
import type { PlanSource } from '../../run/input/read-plan.ts';

/** What `weir capacity` was asked. */
export interface CapacityRequest {
  /** `null` where stored results answer. */
  readonly source: PlanSource | null;
  readonly from: readonly string[];
  readonly think: string | undefined;
  readonly start: string | undefined;
  readonly top: string | undefined;
  readonly precision: string;
  readonly requests: string;
  readonly time: string;
  readonly yes: boolean;
  readonly out: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
}

/** An option in its notation, above 0. */
const readOption = <Quantity extends number>(
  name: string,
  text: string,
  { read, expected }: Notation<Quantity>,
): Quantity => {
  const value = read(text);
  if (value !== null && value > 0) return value;
  throw new Problem(`--${name}: expected ${expected}, above 0; got ${text}`);
};

const defaultThinkTime = milliseconds(20_000);

/** What a closed stage says, where there is one. */
const scenarioThinkTime = ({ stages }: Plan): Milliseconds => {
  const [declaredThinkTime] = stages.flatMap(({ load }) =>
    (load.kind === 'closed' || load.kind === 'iterations') && load.thinkTime > 0
      ? [load.thinkTime]
      : [],
  );
  return declaredThinkTime ?? defaultThinkTime;
};

const defaultTopRate = 1000;
/** The first step of a low limit is this part of it. */
const firstStepDivisor = 4;
/** A first step that needs many samples does not last longer than this, in seconds. */
const maxFirstStepSeconds = 240;

/** The requests per second that the declared limit allows over all keys. */
const declaredCeiling = (requestsPerMinute: number | null, keys: number): number =>
  requestsPerMinute === null ? Infinity : (requestsPerMinute * keys) / 60;

/** What the search is held to and the answer reckoned with. */
export const searchTermsFor = (plan: Plan, request: CapacityRequest): SearchTerms => {
  const { requestsPerMinute, tokensPerMinute } = plan.limits;
  const keys = plan.keys.length;
  const samples = samplesFor(plan);
  const ceiling = declaredCeiling(requestsPerMinute, keys);
  const top =
    request.top === undefined ? defaultTopRate : readOption('top', request.top, rateNotation);
  const most = Math.min(top, ceiling);
  const first = Math.max(Math.min(1, most / firstStepDivisor), (2 * samples) / maxFirstStepSeconds);
  const start =
    request.start === undefined
      ? Math.min(first, most)
      : readOption('start', request.start, rateNotation);
  if (start > most) {
    throw new Problem(
      `--start: expected a rate of at most ${Number(most.toPrecision(4))}/s, what --top and the declared limits allow; got ${request.start}`,
    );
  }
  return {
    thinkTime:
      request.think === undefined
        ? scenarioThinkTime(plan)
        : readOption('think', request.think, durationNotation),
    requestsPerMinute,
    tokensPerMinute,
    keys,
    start: perSecond(start),
    top: perSecond(top),
    precision: readOption('precision', request.precision, percentageNotation),
    forLatency: asksForLatency(plan),
    samples,
  };
};

/** More steps than this have stopped to teach anything. */
const maxSteps = 40;

export const searchBudgetFor = (
  { requests, time }: CapacityRequest,
  terms: SearchTerms,
): SearchBudget => {
  const { requestsPerMinute, keys, top } = terms;
  const most = Number(requests);
  if (!Number.isSafeInteger(most) || most < 1) {
    throw new Problem(`--requests: expected a whole number of at least 1; got ${requests}`);
  }
  const seconds = readOption('time', time, durationNotation) / 1000;
  return {
    requests: Math.min(
      most,
      Math.ceil(Math.min(top, declaredCeiling(requestsPerMinute, keys)) * seconds),
    ),
    seconds,
    steps: maxSteps,
  };
};

import type { SearchTerms } from '../judge/capacity/next-step.ts';
import { asksForLatency, samplesFor } from '../judge/capacity/step-objectives.ts';
import type { Plan } from '../model/plan.ts';
import { type Milliseconds, milliseconds, perSecond } from '../model/quantity.ts';
import { Problem } from '../platform/problem.ts';
import type { SearchCap } from '../probe/find-capacity.ts';
import { duration, type Notation, percentage, rate } from '../scenario/notation.ts';
import type { PlanSource } from './read-plan.ts';

/** What `weir capacity` was asked. */
export interface CapacityOrder {
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
const optionOf = <Quantity extends number>(
  name: string,
  text: string,
  { read, expected }: Notation<Quantity>,
): Quantity => {
  const value = read(text);
  if (value !== null && value > 0) return value;
  throw new Problem(`--${name}: expected ${expected}, above 0; got ${text}`);
};

const usualThinkTime = milliseconds(20_000);

/** What a closed stage says, where there is one. */
const thinkTimeOf = ({ stages }: Plan): Milliseconds => {
  const [told] = stages.flatMap(({ load }) =>
    (load.kind === 'closed' || load.kind === 'iterations') && load.thinkTime > 0
      ? [load.thinkTime]
      : [],
  );
  return told ?? usualThinkTime;
};

const usualTop = 1000;
/** The first step of a low limit is this part of it. */
const firstPart = 4;
/** A first step that needs many samples does not last longer than this, in seconds. */
const longestFirst = 240;

/** The requests per second that the declared limit allows over all keys. */
const ceilingOf = (requestsPerMinute: number | null, keys: number): number =>
  requestsPerMinute === null ? Infinity : (requestsPerMinute * keys) / 60;

/** What the search is held to and the answer reckoned with. */
export const termsOf = (plan: Plan, order: CapacityOrder): SearchTerms => {
  const { requestsPerMinute, tokensPerMinute } = plan.limits;
  const keys = plan.keys.length;
  const samples = samplesFor(plan);
  const ceiling = ceilingOf(requestsPerMinute, keys);
  const top = order.top === undefined ? usualTop : optionOf('top', order.top, rate);
  const most = Math.min(top, ceiling);
  const first = Math.max(Math.min(1, most / firstPart), (2 * samples) / longestFirst);
  const start =
    order.start === undefined ? Math.min(first, most) : optionOf('start', order.start, rate);
  if (start > most) {
    throw new Problem(
      `--start: expected a rate of at most ${Number(most.toPrecision(4))}/s, what --top and the declared limits allow; got ${order.start}`,
    );
  }
  return {
    thinkTime:
      order.think === undefined ? thinkTimeOf(plan) : optionOf('think', order.think, duration),
    ...{ requestsPerMinute, tokensPerMinute, keys, start: perSecond(start), top: perSecond(top) },
    precision: optionOf('precision', order.precision, percentage),
    ...{ forLatency: asksForLatency(plan), samples },
  };
};

/** More steps than this have stopped to teach anything. */
const mostSteps = 40;

export const capOf = ({ requests, time }: CapacityOrder, terms: SearchTerms): SearchCap => {
  const { requestsPerMinute, keys, top } = terms;
  const most = Number(requests);
  if (!Number.isSafeInteger(most) || most < 1) {
    throw new Problem(`--requests: expected a whole number of at least 1; got ${requests}`);
  }
  const seconds = optionOf('time', time, duration) / 1000;
  return {
    requests: Math.min(
      most,
      Math.ceil(Math.min(top, ceilingOf(requestsPerMinute, keys)) * seconds),
    ),
    seconds,
    steps: mostSteps,
  };
};

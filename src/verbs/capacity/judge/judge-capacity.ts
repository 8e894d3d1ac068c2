import type {
  CapacityStep,
  CapacityTerms,
  EstimatedRange,
  CapacityAnswer,
} from '../model/capacity.ts';
import { beyondNormal } from '../../../judge/statistics/student-t.ts';
import { isSettled } from './judge-steps.ts';

/** Relative distance of the rates of the grid. */
const grain = 0.0025;

/** Relative width of the border between kept and broken, and the probability of a wrong verdict. */
const border = {
  sure: { width: 0.01, error: 0.02 },
  unsure: { width: 0.02, error: 0.1 },
} as const;
/** Minimum relative uncertainty of a throughput, and the probability that it is unrelated to the wanted rate. */
const minSpread = 0.01;
const misleadingChance = 0.02;

const normal = (z: number): number => (z < 0 ? beyondNormal(z) / 2 : 1 - beyondNormal(z) / 2);

type Likelihood = (logRate: number) => number;

const ofVerdict = ({ rate, verdict, sure }: CapacityStep): Likelihood => {
  const { width, error } = sure ? border.sure : border.unsure;
  const slope = (verdict === 'kept' ? 1 : -1) / width;
  return (logRate) => error + (1 - 2 * error) * normal(slope * (logRate - Math.log(rate)));
};

/**
 * The likelihood from the throughput of an overloaded step. If only a steady flow is required, a settled
 * throughput is the wanted rate, and any other is a lower bound; with objectives of latency it is an
 * upper bound.
 */
const ofOverload = (step: CapacityStep, forLatency: boolean): Likelihood => {
  const at = Math.log(Math.max(step.throughput, 1e-9));
  const spread = Math.max(minSpread, step.spread);
  const settled = isSettled(step);
  if (forLatency) {
    return settled ? (logRate) => misleadingChance + normal((at - logRate) / spread) : () => 1;
  }
  return settled
    ? (logRate) => misleadingChance + Math.exp(-0.5 * ((logRate - at) / spread) ** 2)
    : (logRate) => misleadingChance + normal((logRate - at) / spread);
};

const isOverload = ({ breaches, limited, throughput }: CapacityStep): boolean =>
  throughput > 0 && limited === 0 && breaches.some(({ bound }) => bound === 'concurrency');

export const decisiveSteps = (steps: readonly CapacityStep[]): readonly CapacityStep[] =>
  steps.filter(({ verdict }) => verdict === 'kept' || verdict === 'broken');

/**
 * Estimates the highest rate that meets the objectives: the median, with its 90 % credible interval. Later steps
 * correct a wrong verdict.
 */
export const believedRate = (
  steps: readonly CapacityStep[],
  { start, top }: Pick<CapacityTerms, 'start' | 'top'>,
  forLatency: boolean,
): EstimatedRange => {
  const from = Math.log(start / 64);
  const count = Math.ceil((Math.log(top * 1.5) - from) / grain);
  // Bayesian threshold estimation as in QUEST (Watson & Pelli, Perception & Psychophysics 33, 1983). Without noise it
  // is probabilistic bisection (Horstein 1963; Waeber, Frazier & Henderson 2013).
  const likelihoods = decisiveSteps(steps).flatMap((step) => [
    ofVerdict(step),
    ...(isOverload(step) ? [ofOverload(step, forLatency)] : []),
  ]);
  // At first all rates are equally likely, on a logarithmic scale. Each step's outcome multiplies in its likelihood.
  const logs = Array.from({ length: count }, (_, i) =>
    likelihoods.reduce((sum, likelihood) => sum + Math.log(likelihood(from + i * grain)), 0),
  );
  const most = logs.reduce((a, b) => Math.max(a, b), -Infinity);
  const weights = logs.map((log) => Math.exp(log - most));
  const whole = weights.reduce((a, b) => a + b, 0);
  const quantile = (probability: number): number => {
    let below = 0;
    const at = weights.findIndex((weight) => (below += weight) >= probability * whole);
    return Math.exp(from + Math.max(0, at) * grain);
  };
  return { value: quantile(0.5), low: quantile(0.05), high: quantile(0.95) };
};

/** Mean tokens of an answer and its prompt over all steps with known tokens; `null` if none. */
const tokensPerRequest = (steps: readonly CapacityStep[]): number | null => {
  const known = steps.filter(({ tokens }) => tokens !== null);
  const completed = known.reduce((sum, step) => sum + step.completed, 0);
  if (completed === 0) return null;
  return known.reduce((sum, step) => sum + (step.tokens ?? 0) * step.completed, 0) / completed;
};

/**
 * The rate that the declared limits of all keys allow, and the limit that determines it; `null` without
 * a declared limit. A limit of tokens counts as soon as a step shows the tokens per request.
 */
export const ceilingOf = (
  { requestsPerMinute, tokensPerMinute, keys }: CapacityTerms,
  steps: readonly CapacityStep[],
): { readonly rate: number; readonly bound: 'requests' | 'tokens' } | null => {
  const byRequests = ((requestsPerMinute ?? Infinity) * keys) / 60;
  const tokens = tokensPerRequest(steps) ?? 0;
  const byTokens = tokens === 0 ? Infinity : ((tokensPerMinute ?? Infinity) * keys) / 60 / tokens;
  const rate = Math.min(byRequests, byTokens);
  return rate === Infinity ? null : { rate, bound: byRequests <= byTokens ? 'requests' : 'tokens' };
};

const nearestStep = (steps: readonly CapacityStep[], rate: number): CapacityStep | undefined =>
  steps.toSorted(
    (a, b) => Math.abs(Math.log(a.rate / rate)) - Math.abs(Math.log(b.rate / rate)),
  )[0];

type FoundRate = Pick<CapacityAnswer, 'rate' | 'binding' | 'because' | 'proved'>;

const foundRate = (
  steps: readonly CapacityStep[],
  terms: CapacityTerms,
  forLatency: boolean,
): FoundRate | null => {
  const decisive = decisiveSteps(steps);
  const { kept, broken } = Object.groupBy(decisive, ({ verdict }) => verdict);
  if (kept === undefined) return null;
  const ceiling = ceilingOf(terms, steps);
  if (broken === undefined) {
    // A declared limit determines the rate, or nothing in the tried range.
    const highest = Math.max(...kept.map(({ rate }) => rate));
    const isCapped = ceiling !== null && highest >= ceiling.rate * 0.98;
    const value = isCapped ? ceiling.rate : highest;
    const why = isCapped
      ? `the maximum of the declared limit of ${ceiling.bound} per minute`
      : 'the highest rate tried';
    return {
      rate: { value, low: value, high: value },
      binding: isCapped ? ceiling.bound : 'none',
      because: `the objectives are met at ${highest.toPrecision(3)}/s, ${why}`,
      proved: isCapped,
    };
  }
  const rate = believedRate(steps, terms, forLatency);
  const higher = broken.filter((step) => step.rate >= rate.value * 0.97);
  const above = nearestStep(higher, rate.value) ?? nearestStep(broken, rate.value)!;
  const breach = above.breaches[0];
  const { precision } = terms;
  const isClose = kept.some((step) => step.rate >= rate.value * (1 - 1.5 * precision));
  const isCapped = ceiling !== null && rate.value > ceiling.rate * 0.98;
  return {
    rate,
    binding: isCapped ? ceiling.bound : (breach?.bound ?? 'none'),
    because: `at ${above.rate.toPrecision(3)}/s ${breach?.text ?? 'an objective was broken'}`,
    proved: isClose && rate.high / rate.low <= 1 + precision * 1.5,
  };
};

const keysFor = (perSecond: number | null, perMinute: number | null): number | null =>
  perSecond === null || perMinute === null || perMinute === 0
    ? null
    : // A rate that uses a key completely needs no further key.
      Math.max(1, Math.ceil((perSecond * 60) / perMinute - 1e-6));

/** What the steps prove, in users, keys and money; `null` if no step was kept. */
export const judgeCapacity = (
  steps: readonly CapacityStep[],
  terms: CapacityTerms,
  forLatency: boolean,
): CapacityAnswer | null => {
  const found = foundRate(steps, terms, forLatency);
  if (found === null) return null;
  const rate = found.rate.value;
  const kept = steps.filter(({ verdict }) => verdict === 'kept');
  const closest = nearestStep(kept, rate);
  const latency = closest?.latency?.mean ?? null;
  const tokens = tokensPerRequest(steps);
  const cost = closest?.cost ?? null;
  return {
    ...found,
    latency,
    // Little’s law with think time: rate = users / (latency + think time).
    users: Math.floor((rate * ((latency ?? 0) + terms.thinkTime)) / 1000),
    keysForRequests: keysFor(rate, terms.requestsPerMinute),
    keysForTokens: keysFor(tokens === null ? null : rate * tokens, terms.tokensPerMinute),
    costPerHour: cost === null ? null : Math.round(cost * rate * 3600),
  };
};

import type { CapacityStep, CapacityTerms, CapacityAnswer } from '../model/capacity.ts';
import { believedRate } from './believed-rate.ts';

export const decisiveSteps = (steps: readonly CapacityStep[]): readonly CapacityStep[] =>
  steps.filter(({ verdict }) => verdict === 'kept' || verdict === 'broken');

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

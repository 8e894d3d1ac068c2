import {
  type CapacityStep,
  type CapacityTerms,
  type CapacityAnswer,
  nearbyRates,
  provedWidth,
} from '../model/capacity.ts';
import { perSecond } from '../../../model/quantity.ts';
import { believedRate, isEvidence } from './believed-rate.ts';
import { growthCertainlyBelow } from './growth.ts';

export const decisiveSteps = (steps: readonly CapacityStep[]): readonly CapacityStep[] =>
  steps.filter(({ verdict }) => verdict === 'kept' || verdict === 'broken');

/**
 * Returns the mean tokens (prompt and answer) of a completed request, over the steps whose tokens are known; `null` if
 * there are none.
 */
const tokensPerRequest = (steps: readonly CapacityStep[]): number | null => {
  const known = steps.filter(({ tokens }) => tokens !== null);
  const completed = known.reduce((sum, step) => sum + step.completed, 0);
  if (completed === 0) return null;
  return known.reduce((sum, step) => sum + (step.tokens ?? 0) * step.completed, 0) / completed;
};

/**
 * Returns the rate that the declared limits of all keys allow, and the limit that determines it; `null` if no limit is
 * declared. A limit of tokens is used only after a step has shown the tokens per request.
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

/** A step whose rate is at least this share of another rate counts as a step at that other rate. */
const sameRate = 0.98;

/**
 * Returns the answer of a search in which no step broke: the highest tried rate, or the declared limit if a step
 * reached it.
 */
const highestRate = (
  borne: readonly CapacityStep[],
  ceiling: ReturnType<typeof ceilingOf>,
  terms: CapacityTerms,
  forLatency: boolean,
): FoundRate => {
  const highest = Math.max(...borne.map(({ rate }) => rate));
  const isCapped = ceiling !== null && highest >= ceiling.rate * sameRate;
  const most = isCapped ? ceiling.rate : highest;
  const why = isCapped
    ? `the maximum of the declared limit of ${ceiling.bound} per minute`
    : 'the highest rate tried';
  const there = borne.filter(({ rate }) => rate >= highest * sameRate);
  const isSure = there.some(({ verdict, sure }) => verdict === 'kept' && sure);
  const beliefUpTo = (top: number) =>
    believedRate(borne, { ...terms, top: perSecond(top) }, forLatency);
  // Rates above the highest tried rate are unknown, so the answer is at most the highest tried rate. The lower end
  // comes from the distribution cut off at this rate. If several steps have this rate, the step with the most arrivals
  // decides.
  const { verdict, breaches } = there.toSorted((a, b) => b.arrivals - a.arrivals)[0]!;
  const value = verdict === 'kept' ? most : Math.min(most, beliefUpTo(2 * highest).value);
  const low = isSure ? most : Math.min(value, beliefUpTo(highest).low);
  const because =
    isSure || verdict === 'kept'
      ? `the objectives are met at ${highest.toPrecision(3)}/s, ${why}${isSure ? '' : ', but not surely'}`
      : `it is undecided whether the objectives are met at ${highest.toPrecision(3)}/s, ${why}: ${breaches[0]?.text}`;
  return {
    rate: { value, low, high: most },
    binding: isCapped ? ceiling.bound : 'none',
    because,
    proved: isCapped && isSure,
  };
};

const foundRate = (
  steps: readonly CapacityStep[],
  terms: CapacityTerms,
  forLatency: boolean,
): FoundRate | null => {
  const evidence = steps.filter(isEvidence);
  const broken = evidence.filter(({ verdict }) => verdict === 'broken');
  const borne = evidence.filter(({ verdict }) => verdict !== 'broken');
  if (borne.length === 0) return null;
  const ceiling = ceilingOf(terms, steps);
  if (broken.length === 0) return highestRate(borne, ceiling, terms, forLatency);
  const rate = believedRate(steps, terms, forLatency);
  // The answer names a broken step as its reason. A step at the answered rate may have broken by chance, and would
  // contradict the answer, so steps at higher rates are preferred.
  const higher = broken.filter((step) => step.rate > rate.value);
  const sure = higher.filter((step) => step.sure && step.rate <= rate.value * nearbyRates);
  const above = [sure, higher, broken]
    .map((each) => nearestStep(each, rate.value))
    .find((step) => step !== undefined)!;
  const breach = above.breaches[0];
  const { precision } = terms;
  const isClose = borne.some(
    ({ verdict, growth, rate: tried }) =>
      verdict === 'kept' &&
      growth.high < growthCertainlyBelow &&
      tried >= rate.value * (1 - 1.5 * precision),
  );
  const isCapped = ceiling !== null && rate.value > ceiling.rate * sameRate;
  return {
    rate,
    binding: isCapped ? ceiling.bound : (breach?.bound ?? 'none'),
    because: `at ${above.rate.toPrecision(3)}/s ${breach?.text ?? 'an objective was broken'}`,
    proved: isClose && rate.high / rate.low <= 1 + provedWidth * precision,
  };
};

const keysFor = (rate: number | null, perMinute: number | null): number | null =>
  rate === null || perMinute === null || perMinute === 0
    ? null
    : // A key that is used completely suffices without a further one.
      Math.max(1, Math.ceil((rate * 60) / perMinute - 1e-6));

/**
 * Returns the highest rate that the steps show, with its users, keys and cost; `null` if every step that is evidence
 * about this rate broke.
 */
export const judgeCapacity = (
  steps: readonly CapacityStep[],
  terms: CapacityTerms,
  forLatency: boolean,
): CapacityAnswer | null => {
  const found = foundRate(steps, terms, forLatency);
  if (found === null) return null;
  const rate = found.rate.value;
  const kept = steps.filter(({ verdict }) => verdict === 'kept');
  const undecided = steps.filter((step) => step.verdict === 'undecided' && isEvidence(step));
  const closest = nearestStep(kept.length > 0 ? kept : undecided, rate);
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

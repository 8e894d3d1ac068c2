import type {
  LimitingFactor,
  CapacityAnswer,
  CapacityStep,
  CapacityTerms,
  EstimatedRange,
} from '../../model/series/capacity.ts';
import { ceilingOf, tokensPerRequest } from './ceiling.ts';
import { believeAfter, believedRate, decisiveSteps } from './rate-belief.ts';

/** The step with the nearest rate, by ratio. */
const nearestStep = (steps: readonly CapacityStep[], rate: number): CapacityStep | undefined =>
  steps.toSorted(
    (a, b) => Math.abs(Math.log(a.rate / rate)) - Math.abs(Math.log(b.rate / rate)),
  )[0];

interface FoundRate {
  readonly rate: EstimatedRange;
  readonly binding: LimitingFactor;
  readonly because: string;
  readonly proved: boolean;
}

/** Every step was kept: a declared limit determines the rate, or nothing in the tried range. */
const allKept = (steps: readonly CapacityStep[], terms: CapacityTerms): FoundRate => {
  const highest = Math.max(...decisiveSteps(steps).map(({ rate }) => rate));
  const ceiling = ceilingOf(terms, steps);
  const rate = { value: highest, low: highest, high: highest };
  if (ceiling !== null && highest >= ceiling.rate * 0.98) {
    return {
      rate: { value: ceiling.rate, low: ceiling.rate, high: ceiling.rate },
      binding: ceiling.bound,
      because: `the objectives are met at ${highest.toPrecision(3)}/s, the maximum of the declared limit of ${ceiling.bound} per minute`,
      proved: true,
    };
  }
  return {
    rate,
    binding: 'none',
    because: `the objectives are met at ${highest.toPrecision(3)}/s, the highest rate tried`,
    proved: false,
  };
};

/** Some step broke: the answer is the rate believed. */
const someBroken = (
  steps: readonly CapacityStep[],
  terms: CapacityTerms,
  forLatency: boolean,
): FoundRate | null => {
  const rate = believedRate(believeAfter(steps, terms, forLatency));
  const decisive = decisiveSteps(steps);
  const kept = decisive.filter(({ verdict }) => verdict === 'kept');
  const broken = decisive.filter(({ verdict }) => verdict === 'broken');
  if (kept.length === 0) return null;
  const above =
    nearestStep(
      broken.filter((step) => step.rate >= rate.value * 0.97),
      rate.value,
    ) ?? nearestStep(broken, rate.value);
  const breach = above?.breaches[0];
  const { precision } = terms;
  const closest = kept.some((step) => step.rate >= rate.value * (1 - 1.5 * precision));
  const ceiling = ceilingOf(terms, steps);
  const isCapped = ceiling !== null && rate.value > ceiling.rate * 0.98;
  return {
    rate,
    binding: isCapped ? ceiling.bound : (breach?.bound ?? 'none'),
    because: `at ${above?.rate.toPrecision(3) ?? '?'}/s ${breach?.text ?? 'an objective was broken'}`,
    proved: closest && rate.high / rate.low <= 1 + precision * 1.5,
  };
};

/** Keys required to stay within the limit at a rate. */
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
  const decisive = decisiveSteps(steps);
  if (decisive.length === 0) return null;
  const found = decisive.every(({ verdict }) => verdict === 'kept')
    ? allKept(steps, terms)
    : someBroken(steps, terms, forLatency);
  if (found === null) return null;
  const rate = found.rate.value;
  const kept = decisive.filter(({ verdict }) => verdict === 'kept');
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

import { longestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';
import { settleTime } from '../../../../judge/limits/facts/token-uses.ts';
import { refillStep } from '../../judge/tokens/token-bursts.ts';
import type { ListedPrice } from '../probe-requests.ts';
import {
  evenTokenPace,
  evenWindows,
  forgottenAfter,
  sustainedRates,
  tapTimes,
  tapTokens,
  type TokenPlan,
} from './token-plan.ts';

/**
 * This file forecasts what an examination of a limit of tokens uses: requests, tokens, time and money. The user sees
 * the forecast before consenting.
 */

/**
 * The share of its planned tokens that the even pace usually uses. The prompts of the pace are slightly shorter than
 * planned, and each prompt waits for an earlier answer.
 */
const usualEvenShare = 0.96;
/** The usual time between a burst and the even pace, in windows. */
const usualWait = 0.5;
/** Until an answer has been measured, answers are assumed to take this many ms, for a window of a minute. */
const usualLatency = 1000;

/**
 * What an examination is forecast to use. `usual` lies midway between gateways that charge first and gateways that
 * charge at the end.
 */
export interface TokenBudget {
  readonly requests: { readonly usual: number; readonly most: number };
  readonly tokens: { readonly usual: number; readonly most: number };
  /** The usual duration in ms. */
  readonly time: number;
  /**
   * The usual and the largest price in micro-units of the currency; `null` if prices are unknown. `cached` is the usual
   * price if a cache holds prompts and the limit still counts them in full; absent if this price is not lower.
   */
  readonly cost: { readonly usual: number; readonly most: number; readonly cached?: number } | null;
}

interface Part {
  readonly requests: number;
  readonly tokens: number;
  readonly time: number;
}

/**
 * The usual share of a burst's excess over the limit that a gateway admits: the middle of the shares of six charging
 * rules. A gateway that charges first admits none of the excess. A gateway that charges at the end admits the whole
 * excess.
 */
const usuallyAbove = 0.35;

/** The usual number of requests after the refusals of a burst. These requests show how much of the limit is left. */
const askedAgain = 6;

const sum = (parts: readonly Part[], pick: (part: Part) => number): number =>
  parts.reduce((whole, part) => whole + pick(part), 0);

/**
 * Returns the parts of an examination. `cacheable` counts the tokens of prompts that a cache may hold: the prompts of
 * the even pace and of the sustained load. The first burst only writes the common beginning of these prompts into the
 * cache. The prompts of the second burst have no common beginning.
 */
const partsOf = (plan: TokenPlan) => {
  const { rule, isQuick, sustain, large, slice, visible, reserving } = plan;
  const { tokens, window } = rule;
  const scale = window / 60_000;
  const [idle, latency] = [forgottenAfter(window), usualLatency * scale];
  const kinds = 11 - (plan.hasOtherModel ? 0 : 1) - (plan.hasAudio ? 0 : 2);
  const perKind = Math.max(
    2 * latency + settleTime(window),
    (4 * window) / (rule.requests ?? Infinity),
  );
  const calibration = {
    requests: 11,
    tokens: 2.3 * slice + visible,
    time: window / 2 + 5 * latency + 3 * settleTime(window),
  };
  const accounting = {
    requests: 2 * kinds + 5,
    tokens: slice + 10 * visible,
    time: kinds * perKind,
  };
  const reserve = {
    requests: reserving,
    tokens: reserving * tapTokens,
    time: longestWindow(window) + latency,
  };
  const evenTokens = usualEvenShare * evenTokenPace(plan, latency, 1).rate * evenWindows * window;
  const even = {
    requests: Math.ceil(evenTokens / slice),
    tokens: evenTokens,
    time: evenWindows * window + latency + usualWait * window,
  };
  const sending = 6000 * scale;
  const needed =
    tokens * (1 + refillStep + (2 * latency + settleTime(window) + 4000 * scale) / window);
  const burstTokens = Math.ceil(needed / large + 1) * large;
  const burst = {
    requests: burstTokens / large + tapTimes.length + askedAgain,
    tokens: burstTokens,
    time: sending + tapTimes.at(-1)! * 1000 * scale,
  };
  const usualBurst = { ...burst, tokens: tokens + usuallyAbove * (burstTokens - tokens) };
  // The second burst waits for its moment: usually a quarter of a window in a quick examination, else a bit over one.
  const wait = (isQuick ? 1 / 4 : 11 / 10) * window;
  const between = { requests: 1, tokens: tapTokens, time: idle + wait };
  const sustained = {
    requests: ((sustainedRates.exact * tokens) / plan.sustained.exact) * sustain,
    tokens: sustain * tokens,
    time: sustain * window,
  };
  const parts: readonly Part[] = [
    calibration,
    { requests: 0, tokens: 0, time: idle },
    ...(isQuick ? [] : [accounting, reserve, even]),
    usualBurst,
    between,
    usualBurst,
    ...(sustain > 0 ? [sustained] : []),
  ];
  return { parts, burst, cacheable: even.tokens + sustained.tokens };
};

/** The maximum of a budget is the sum of the highest forecast use and a third burst, times this factor. */
const reserveOfBudget = 1.15;

export const tokenBudget = (plan: TokenPlan, price: ListedPrice | null): TokenBudget => {
  const { parts, burst, cacheable } = partsOf(plan);
  const requests = Math.round(sum(parts, (part) => part.requests));
  const tokens = Math.round(sum(parts, (part) => part.tokens));
  const mostOf = (usual: number, ofBurst: number): number =>
    Math.ceil(reserveOfBudget * (usual + ofBurst));
  const beyondSustained = (sustainedRates.rough - 1) * plan.sustain * plan.rule.tokens;
  const { exact, rough } = plan.sustained;
  const roughRequests =
    (sustainedRates.rough / rough - sustainedRates.exact / exact) * plan.rule.tokens * plan.sustain;
  const beyondUsual = 2 * (1 - usuallyAbove) * (burst.tokens - plan.rule.tokens);
  const most = {
    requests: mostOf(requests + Math.max(0, roughRequests), burst.requests),
    tokens: mostOf(tokens + beyondUsual + beyondSustained, burst.tokens),
  };
  const priceOf = (all: number, chats: number): number => {
    if (price === null) return 0;
    // A chat also costs a few tokens that the limit does not count.
    const [counted, beside] =
      plan.unit === 'output-tokens'
        ? [price.output, tapTokens * price.input]
        : [price.input, price.output];
    return Math.ceil((all * counted + chats * beside) / 1e6);
  };
  return {
    requests: { usual: requests, most: most.requests },
    tokens: { usual: tokens, most: most.tokens },
    time: sum(parts, (part) => part.time),
    cost:
      price === null
        ? null
        : {
            usual: priceOf(tokens, requests),
            most: priceOf(most.tokens, most.requests),
            ...(plan.isCachedCheaper
              ? {
                  cached:
                    priceOf(tokens, requests) -
                    Math.floor((cacheable * (price.input - (price.cached ?? price.input))) / 1e6),
                }
              : {}),
          },
  };
};

import { longestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';
import { type TokenRule } from '../../model/token-log.ts';
import type { TokenUnit } from '../../model/token-units.ts';
import { ownCountRatio, settleTime } from '../../../../judge/limits/facts/token-uses.ts';
import { refillStep } from '../../judge/tokens/token-bursts.ts';
import { promptSlack } from '../../judge/tokens/token-charges.ts';

/**
 * The maximum shares of the limit of requests that are used by a burst, by the even pace in each window, by the
 * sustained load in each window, and by the test of reservations.
 */
const burstShare = 0.8;
const evenShare = 0.9;
const sustainedShare = 0.78;
const reserveShare = 0.5;
/**
 * A burst divides the tokens of the limit among `perBurst` requests, and the even pace divides them among `perEven`
 * requests in each window. If the limit of requests allows fewer requests, each request has more tokens.
 */
const perBurst = 24;
const perEven = 54;
/** The tokens of a small chat, including one token of answer. */
export const tapTokens = 20;
/**
 * The smallest limit that can be examined. The small chats after a burst together use less than a twentieth of this
 * limit.
 */
const leastTokens = 3000;
const visibleShare = 1 / 1000;
/** The share of a context that a prompt fills. The rest is room for a gateway that overestimates the prompt. */
const usableContext = 0.95;
/**
 * Small chats are sent this many seconds after a burst, for a window of a minute. They show whether the burst is
 * charged.
 */
export const tapTimes = [0, 1.05, 2, 4, 8, 15] as const;
/** The duration of the even pace, in windows. */
export const evenWindows = 5;
/**
 * The rate of the sustained load as a multiple of the limit: `exact` if charges equal the usage, `rough` if charges may
 * differ from the usage.
 */
export const sustainedRates = { exact: 1.3, rough: 1.6 } as const;
const usualDelay = 1 / 12;
/**
 * A burst may send this many times the requests that it needs. If a gateway counts as few tokens as plausible, a burst
 * needs more requests, and some requests are refused.
 */
const requestMargin = 1.4;

export interface TokenPlan {
  readonly rule: TokenRule;
  /** The tokens that the limit counts; absent if the limit counts all tokens. */
  readonly unit?: TokenUnit;
  readonly context: number | null;
  readonly isQuick: boolean;
  /** The number of windows of load above the limit; 0 if no such load is sent. */
  readonly sustain: number;
  readonly large: number;
  /** A prompt of this many tokens must be refused for some seconds after a full burst. */
  readonly refused: number;
  readonly slice: number;
  /** The tokens of the prompts of the sustained load. */
  readonly sustained: Readonly<Record<keyof typeof sustainedRates, number>>;
  readonly visible: number;
  /** The maximum number of requests of a burst, with its small chats. */
  readonly burstRequests: number;
  /**
   * The number of chats that together reserve the limit; 0 if too many are needed, or if the limit counts only input.
   */
  readonly reserving: number;
  readonly hasOtherModel: boolean;
  readonly hasAudio: boolean;
  /** Whether input from a cache has a lower price. */
  readonly isCachedCheaper?: boolean;
}

export interface TokenPlanTerms extends Pick<
  TokenPlan,
  | 'rule'
  | 'unit'
  | 'context'
  | 'isQuick'
  | 'sustain'
  | 'hasOtherModel'
  | 'hasAudio'
  | 'isCachedCheaper'
> {}

const count = (value: number): string => Math.ceil(value).toLocaleString('en-US');

const neededRequests = ({ tokens }: TokenRule, large: number): number =>
  Math.ceil((ownCountRatio * (1 + refillStep + usualDelay) * tokens) / large) + 1 + tapTimes.length;

/**
 * Plans an examination of a limit of tokens, or says why no examination is possible. Example: for 60 requests and
 * 2,000,000 tokens a minute, the prompts of a burst have 83,333 tokens, and the prompts of the even pace 37,037. With a
 * context of 33,333 tokens, 60 requests cannot exceed the limit of tokens, so no examination is possible.
 */
export const planTokens = (terms: TokenPlanTerms): TokenPlan | string => {
  const { rule, context } = terms;
  const { tokens } = rule;
  if (tokens < leastTokens)
    return `a limit of ${count(tokens)} tokens is too small to examine: its small chats of ${tapTokens} tokens would use a large part of it; at least ${count(leastTokens)} are needed`;
  const requests = rule.requests ?? Infinity;
  const largest = context === null ? Infinity : usableContext * context;
  if (context !== null && context * requests < tokens) {
    return `the limit of ${count(tokens)} tokens cannot bind: ${count(requests)} requests of at most ${count(context)} tokens use at most ${count(context * requests)}`;
  }
  const large = Math.min(
    tokens / Math.min(perBurst, Math.max(1, burstShare * requests * 0.5)),
    largest,
  );
  const burstRequests = neededRequests(rule, large);
  if (burstRequests > requests * burstShare + tapTimes.length) {
    const needed =
      tokens / ((burstShare * requests - 1) / (ownCountRatio * (1 + refillStep + usualDelay)));
    return `a burst above ${count(tokens)} tokens needs ${count(burstRequests)} of ${count(requests)} requests in a window: too many to tell both limits apart; a model with a context of ${count(needed / usableContext)} tokens is enough`;
  }
  const perWindow = Math.max(6, Math.min(perEven, Math.floor(evenShare * requests)));
  const reserving = Math.max(
    Math.min(perBurst, Math.floor(reserveShare * 0.8 * requests)),
    Math.ceil(tokens / largest),
  );
  const promptAt = (rate: number): number =>
    Math.floor(Math.min(largest, (rate * tokens) / Math.min(perEven, sustainedShare * requests)));
  return {
    ...terms,
    large: Math.floor(large),
    refused: Math.floor(Math.min(largest, 3 * large)),
    sustained: { exact: promptAt(sustainedRates.exact), rough: promptAt(sustainedRates.rough) },
    slice: Math.floor(Math.min(tokens / perWindow, largest)),
    visible: Math.floor(Math.min(Math.max(5 * tapTokens, tokens * visibleShare), largest)),
    burstRequests: Math.floor(
      Math.min(requestMargin * burstRequests, requests * burstShare + tapTimes.length),
    ),
    // `max_tokens` is no input, so it reserves nothing of a limit of input tokens.
    reserving:
      reserving <= reserveShare * requests && terms.unit !== 'input-tokens' ? reserving : 0,
  };
};

/**
 * Returns the rate of the even pace in tokens per ms, and the amount that a client may use at once in addition to this
 * rate.
 */
export const evenTokenPace = (
  { rule, slice }: TokenPlan,
  latency: number,
  ownCount = ownCountRatio,
) => {
  const { tokens, window } = rule;
  const own = promptSlack * slice + 1;
  const atOnce = Math.min(
    tokens / 5,
    ((1.6 * latency + 0.5 * settleTime(window)) * tokens) / window + slice,
  );
  const rate = (0.98 * (tokens - own - atOnce)) / (ownCount * longestWindow(window));
  return { rate, atOnce };
};

/** Returns how many ms must pass without a request in flight until every limiter has forgotten all earlier requests. */
export const forgottenAfter = (window: number): number =>
  2 * longestWindow(window) + settleTime(window);

import type { LimitRule, ProbePhase, ProbeRequest } from '../../../model/limits/limit-log.ts';
import { evenPause, forgettingTime, idleTime } from './chat-sender.ts';
import {
  burstSize,
  maxBurstSize,
  maxProvocationRequests,
  usualProvocationRequests,
  maxRefillRequests,
  maxSustainedRequests,
  usualSustainedRequests,
  usualSustainedWindows,
} from './overload.ts';
import { chatCost, speechCost, transcriptionCost } from '../../../contract/prices.ts';
import { sumOf } from '../../../model/sums.ts';

/**
 * The requests that are sent between two small chats. Both chats report the remaining amounts. The drop between the two
 * reports shows the charge of the request.
 */
export const requestsBetweenChats = [
  'chat-stream',
  'models',
  'speech',
  'transcription',
  'bad-parameter',
  'unknown-model',
  'unknown-path',
  'wrong-key',
  'abandoned-early',
  'abandoned-late',
] as const satisfies readonly ProbeRequest[];

/** The chats whose charges distinguish the counting methods. A small chat follows each of these chats. */
export const chargedChats = [
  'chat',
  'long-prompt',
  'longer-answer',
  'chat',
  'long-prompt',
] as const satisfies readonly ProbeRequest[];

export const requestsWhenExhausted = [
  'chat',
  'other-model',
  'chat-stream',
  'models',
  'speech',
  'transcription',
] as const satisfies readonly ProbeRequest[];

export const secondKeyRequests = 5;

const countingRequests = 2 * requestsBetweenChats.length + 1 + 2 * chargedChats.length;

/**
 * Returns how many requests are sent evenly, including the requests of the counting phase. This number is enough to
 * notice a gateway that refuses 5 % at random.
 */
export const evenRequests = ({ limit }: LimitRule): number =>
  limit + Math.max(2, Math.min(12, Math.ceil(0.2 * limit)), Math.ceil(0.05 * limit));

/** Returns how many requests are sent evenly a second time, if earlier use of the key can explain a refusal. */
export const repeatedEvenRequests = ({ limit }: LimitRule): number => 2 * limit;

/** An even pace may always last this long, in ms, however short the windows are. */
const shortEvenTime = 45_000;

/**
 * Returns how many windows it may take to send `evenRequests` evenly. Each request waits for the previous answer, so
 * slow answers prolong this time.
 */
export const maxEvenWindows = ({ limit, window }: LimitRule): number =>
  Math.max(limit < 10 ? 2.5 : 2, shortEvenTime / window);

/** The default length of the sustained load in windows. A load of this length shows a rate that is wrong by half. */
export const defaultSustain = 3;

interface BudgetOptions {
  readonly rule: LimitRule;
  readonly hasSecondKey: boolean;
  readonly sustain: number;
  /** The phases of the examination. Some phases send fewer requests if certain other phases are included. */
  readonly phases: readonly ProbePhase[];
}

/**
 * Returns how many ms the answer to a small chat usually takes in phases that send chats one by one. Windows below a
 * minute get a shorter time.
 */
const usualAnswer = (window: number): number => Math.min(250, window / 240);

/** Forecasts the typical and the maximum number of requests of a phase, and its duration in ms. */
export const phaseBudget = (phase: ProbePhase, options: BudgetOptions) => {
  const { rule, hasSecondKey, sustain, phases } = options;
  const { window } = rule;
  const pause = evenPause(rule) + usualAnswer(window);
  // The first phase needs no idle time, since no limiter remembers anything before the first request.
  const idle = (time: number): number => (phases[0] === phase ? 0 : time);
  switch (phase) {
    case 'counting': {
      const usual = countingRequests;
      return { usual, most: usual, time: usual * pause };
    }
    case 'even': {
      const counted = phases.includes('counting') ? countingRequests : 0;
      const usual = Math.max(0, evenRequests(rule) - counted);
      const time = Math.min(usual * pause, maxEvenWindows(rule) * window);
      return { usual, most: usual + repeatedEvenRequests(rule), time };
    }
    case 'provocation': {
      const isFollowed = phases.includes('sustained');
      const most = maxProvocationRequests(rule, isFollowed);
      const time = idle(idleTime(rule)) + (isFollowed ? 1.6 : 1.45) * window;
      return { usual: usualProvocationRequests(rule, isFollowed), most, time };
    }
    case 'sustained': {
      const most = maxSustainedRequests(rule, sustain);
      const time = usualSustainedWindows(sustain) * window;
      return { usual: usualSustainedRequests(rule, sustain), most, time };
    }
    case 'concurrency': {
      const usual = burstSize(rule, 0) + maxRefillRequests;
      const most = 2 * maxBurstSize(rule) + maxRefillRequests;
      return { usual, most, time: idle(forgettingTime(rule)) + window / 10 };
    }
    case 'exhausted': {
      const requests = requestsWhenExhausted.length + (hasSecondKey ? secondKeyRequests : 0);
      return { usual: requests, most: requests, time: 0 };
    }
  }
};

const chatTokens = { input: 15, output: 1 };
const longTokens = { input: 1000, output: 200 };
/** The usual share of a phase's requests that are answered chats. The others are refused, or are no chats. */
const answeredShares: Readonly<Record<ProbePhase, number>> = {
  counting: 0.75,
  even: 1,
  provocation: 0.93,
  sustained: 0.75,
  concurrency: 0.66,
  exhausted: 0.5,
};
const audioRequests = { count: 2, characters: 4, seconds: 0.1 };

export const probeBudgetFor = (
  phases: readonly ProbePhase[],
  options: Omit<BudgetOptions, 'phases'>,
  price: { readonly input: number; readonly output: number } | null,
) => {
  const isCounting = phases.includes('counting');
  const parts = phases.map((phase) => phaseBudget(phase, { ...options, phases }));
  const sum = (pick: (part: (typeof parts)[number]) => number): number =>
    sumOf(parts, (part) => pick(part));
  const [usual, most] = [sum((part) => part.usual), sum((part) => part.most)];
  const answered = sumOf(phases, (phase, i) => answeredShares[phase] * parts[i]!.usual);
  const isLong = isCounting ? 1 : 0;
  const tokensOf = (requests: number) => ({
    input: requests * chatTokens.input + isLong * longTokens.input,
    output: requests * chatTokens.output + isLong * longTokens.output,
  });
  const total = (requests: number): number => tokensOf(requests).input + tokensOf(requests).output;
  const audio =
    audioRequests.count *
    (speechCost(audioRequests.characters) + transcriptionCost(audioRequests.seconds));
  return {
    typical: usual,
    max: most,
    /** The typical duration, in ms. */
    time: sum((part) => part.time),
    tokens: { typical: Math.round(total(answered)), max: total(most) },
    /** The highest cost in micro-units of the currency; `null` if the price of chats is unknown. */
    cost: price === null ? null : chatCost(tokensOf(most), price) + audio,
  };
};

export type ProbeBudget = ReturnType<typeof probeBudgetFor>;

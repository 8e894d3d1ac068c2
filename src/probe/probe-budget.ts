import type { LimitRule, ProbePhase, ProbeRequest } from '../model/limits/limit-log.ts';
import {
  idleTime,
  longIdleTime,
  maxProvocationRequests,
  maxReleasedRequests,
} from './provoke-limiter.ts';
import { chatCost, speechCost, transcriptionCost } from '../contract/prices.ts';

/** Each is sent between two small chats, whose difference in remaining is its cost in requests. */
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

/** Chats whose charges distinguish the counting methods; each is followed by a small chat. */
export const chargedChats = [
  'chat',
  'long-prompt',
  'longer-answer',
  'chat',
  'long-prompt',
] as const satisfies readonly ProbeRequest[];

export const requestsWhenExhausted = [
  'chat',
  'chat-stream',
  'models',
  'speech',
  'transcription',
] as const satisfies readonly ProbeRequest[];

export const secondKeyRequests = 5;

/** The maximum share of the limit used for counting in one window. */
const countingShare = 0.75;

/** Requests for counting in one window: at least one between two small chats. */
export const countedInWindow = ({ limit }: LimitRule): number =>
  Math.max(3, Math.floor(limit * countingShare));

const countingRequests = 2 * requestsBetweenChats.length + 1 + 2 * chargedChats.length;

/** The typical and maximum requests of a phase, and its time in ms. */
export const phaseBudget = (
  phase: ProbePhase,
  rule: LimitRule,
  hasSecondKey: boolean,
): { readonly usual: number; readonly most: number; readonly time: number } => {
  const { limit, window } = rule;
  switch (phase) {
    case 'counting': {
      const requestsPerWindow = countedInWindow(rule);
      const further = countingRequests - requestsPerWindow;
      // Every further window starts with another small chat.
      const extraWindows = Math.max(0, Math.ceil(further / (requestsPerWindow - 1)));
      const requests = countingRequests + extraWindows;
      return { usual: requests, most: requests, time: extraWindows * idleTime(rule) };
    }
    case 'provocation':
      return {
        usual: Math.ceil(3.4 * limit),
        most: maxProvocationRequests(rule),
        time: longIdleTime(rule) + 2.6 * window,
      };
    case 'concurrency': {
      const requests = maxReleasedRequests(rule);
      return { usual: requests, most: requests, time: idleTime(rule) };
    }
    case 'exhausted': {
      const requests = requestsWhenExhausted.length + (hasSecondKey ? secondKeyRequests : 0);
      return { usual: requests, most: requests, time: 0 };
    }
  }
};

export interface ProbeBudget {
  /** Requests. */
  readonly typical: number;
  readonly max: number;
  /** Typical, in ms. */
  readonly time: number;
  readonly tokens: { readonly typical: number; readonly max: number };
  /** Maximum in micro-units of the currency; `null` without a price for chats. */
  readonly cost: number | null;
}

/** Upper bound of a small chat. */
const chatTokens = { input: 15, output: 1 };
/** Additional tokens of the chats with long prompts and longer answers. */
const longTokens = { input: 1000, output: 200 };
/** Maximum speech and transcription requests each: while counting, and with the exhausted key. */
const audioRequests = { count: 2, characters: 4, seconds: 0.1 };

/** Forecasts the phases for the examined rule; `price` in micro-units per million tokens. */
export const probeBudgetFor = (
  phases: readonly ProbePhase[],
  rule: LimitRule,
  hasSecondKey: boolean,
  price: { readonly input: number; readonly output: number } | null,
): ProbeBudget => {
  const parts = phases.map((phase) => phaseBudget(phase, rule, hasSecondKey));
  const sum = (pick: (part: (typeof parts)[number]) => number): number =>
    parts.reduce((whole, part) => whole + pick(part), 0);
  const [usual, most] = [sum((part) => part.usual), sum((part) => part.most)];
  const isLong = phases.includes('counting') ? 1 : 0;
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
    time: sum((part) => part.time),
    tokens: { typical: total(usual), max: total(most) },
    cost: price === null ? null : chatCost(tokensOf(most), price) + audio,
  };
};

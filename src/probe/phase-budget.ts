import type { LimitRule, ProbePhase, ProbeRequest } from '../model/limits/limit-log.ts';
import {
  idleTime,
  longIdleTime,
  maxProvocationRequests,
  maxReleasedRequests,
} from './provoke-limiter.ts';

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

/** Sent with the exhausted key. */
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
      // Every further window starts with another small chat.
      const extraWindows = Math.max(
        0,
        Math.ceil((countingRequests - requestsPerWindow) / (requestsPerWindow - 1)),
      );
      const requests = countingRequests + extraWindows;
      return { usual: requests, most: requests, time: extraWindows * idleTime(rule) };
    }
    case 'provocation':
      return {
        usual: Math.ceil(3.4 * limit),
        most: maxProvocationRequests(rule),
        time: longIdleTime(rule) + 2.6 * window,
      };
    case 'concurrency':
      return {
        usual: maxReleasedRequests(rule),
        most: maxReleasedRequests(rule),
        time: idleTime(rule),
      };
    case 'exhausted': {
      const requests = requestsWhenExhausted.length + (hasSecondKey ? secondKeyRequests : 0);
      return { usual: requests, most: requests, time: 0 };
    }
  }
};

import type { LimitRule, ProbePhase, ProbeRequest } from '../model/limit-log.ts';
import { idleTime, longIdleTime, mostProvoked, mostReleased } from './provoke-limiter.ts';

/** What each phase of an examination asks, and what that takes. */

/** Each stands between two small chats, so that its cost in requests is the difference of their rests. */
export const sandwiched = [
  ...['chat-stream', 'models', 'speech', 'transcription', 'bad-parameter'],
  ...['unknown-model', 'unknown-path', 'wrong-key', 'abandoned-early', 'abandoned-late'],
] as const satisfies readonly ProbeRequest[];

/** Chats whose charges tell the ways of accounting apart; each is followed by a small one. */
export const charged = [
  ...['chat', 'long-prompt', 'longer-answer', 'chat', 'long-prompt'],
] as const satisfies readonly ProbeRequest[];

/** Asked of an exhausted key. */
export const refused = [
  ...['chat', 'chat-stream', 'models', 'speech', 'transcription'],
] as const satisfies readonly ProbeRequest[];

/** How often the second key is asked. */
export const secondAsked = 5;

/** The counting keeps to this share of the limit in one window. */
const countingShare = 0.75;

/** How many requests the counting sends in one window: at least one between two small chats. */
export const countedInWindow = ({ limit }: LimitRule): number =>
  Math.max(3, Math.floor(limit * countingShare));

const countingRequests = 2 * sandwiched.length + 1 + 2 * charged.length;

/** The requests and the time (ms) that a phase takes: usually and at most. */
export const phaseBudget = (
  phase: ProbePhase,
  rule: LimitRule,
  hasSecondKey: boolean,
): { readonly usual: number; readonly most: number; readonly time: number } => {
  const { limit, window } = rule;
  switch (phase) {
    case 'counting': {
      const share = countedInWindow(rule);
      // Every further window begins with a small chat of its own.
      const further = Math.max(0, Math.ceil((countingRequests - share) / (share - 1)));
      const requests = countingRequests + further;
      return { usual: requests, most: requests, time: further * idleTime(rule) };
    }
    case 'provocation':
      return {
        usual: Math.ceil(3.4 * limit),
        most: mostProvoked(rule),
        time: longIdleTime(rule) + 2.6 * window,
      };
    case 'concurrency':
      return { usual: mostReleased(rule), most: mostReleased(rule), time: idleTime(rule) };
    case 'exhausted': {
      const requests = refused.length + (hasSecondKey ? secondAsked : 0);
      return { usual: requests, most: requests, time: 0 };
    }
  }
};

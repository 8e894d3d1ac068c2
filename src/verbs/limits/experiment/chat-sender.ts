import type {
  LimitRule,
  ProbePhase,
  ProbeReply,
  ProbeRequest,
} from '../../../model/limits/limit-log.ts';
import { type Instant, instant } from '../../../model/quantity.ts';
import { evenRate, limiterMemory, longestWindow } from '../../../judge/limits/facts/rule-bounds.ts';

export interface ProbeClient {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** Sends a request. Resolves to the reply, an error message, or `null` if no model or no key fits the request. */
  ask(
    phase: ProbePhase,
    request: ProbeRequest,
    key: ProbeReply['key'],
  ): Promise<ProbeReply | string | null>;
}

export interface ChatSender {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /**
   * Sends one small request. Resolves to whether the request was admitted. Resolves to `true`, too, if the request got
   * no answer or could not be sent.
   */
  sendChat(): Promise<boolean>;
  /** Returns the usual time from sending to the answer, in ms; 0 if the time is unknown. */
  roundTrip(): number;
}

/** The assumed inaccuracy of a timer, in ms. */
const timerSlack = 2;

/** Returns the pause after each answer, in ms, with which a client certainly never exceeds the even rate. */
export const evenPause = (rule: LimitRule): number => 1 / evenRate(rule) + timerSlack;

/** Returns the longest time from sending to an answer, or to an abort, in ms. */
export const longestAnswer = (replies: readonly Pick<ProbeReply, 'sent' | 'answered'>[]): number =>
  Math.max(0, ...replies.map(({ sent, answered }) => answered - sent));

/** Returns how long, in ms, a key must be idle until no window of a limiter is still open. */
export const idleTime = ({ window }: LimitRule): number => longestWindow(window) + window / 60;

/** Returns how long after the first request, in ms, every limiter has certainly forgotten earlier uses of the key. */
export const forgettingTime = (rule: LimitRule): number => limiterMemory(rule) + rule.window / 60;

/** The maximum number of requests in the round that follows the first `expected` requests. */
const carefulRound = 3;

interface BurstOptions {
  readonly maxRequests: number;
  readonly together: number;
  /** A refusal is expected after this many requests, so the next round is small. */
  readonly expected: number;
}

/**
 * Sends chats in rounds until a chat is refused or `maxRequests` are sent. Resolves with whether a chat was refused.
 */
export const sendUntilRefused = async (
  sender: ChatSender,
  { maxRequests, together, expected }: BurstOptions,
): Promise<boolean> => {
  let sentCount = 0;
  while (sentCount < maxRequests) {
    const left = sentCount < expected ? expected - sentCount : maxRequests - sentCount;
    const most = sentCount === expected ? Math.min(carefulRound, together) : together;
    const count = Math.min(most, left, maxRequests - sentCount);
    sentCount += count;
    const round = Array.from({ length: count }, () => sender.sendChat());
    if ((await Promise.all(round)).includes(false)) return true;
  }
  return false;
};

/**
 * Sleeps until the time since the last start of a window, as a share of the window, is in one of the ranges. One of the
 * windows starts at `origin`.
 */
export const sleepUntilPhase = async (
  sender: ChatSender,
  origin: number,
  window: number,
  ranges: readonly (readonly [from: number, until: number])[],
): Promise<void> => {
  const phase = ((((sender.now() - origin) / window) % 1) + 1) % 1;
  if (ranges.some(([from, until]) => phase >= from && phase <= until)) return;
  const waits = ranges.map(([from]) => (from - phase + 1) % 1);
  await sender.sleepUntil(instant(sender.now() + Math.min(...waits) * window));
};

import type { LimitRule } from '../model/limits/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { type ChatSender, sendUntilRefused, sleepUntilPhase } from './chat-sender.ts';

export interface ProvocationOptions extends LimitRule {
  /** A start of the server's minute; `null` if its clock is unknown. */
  readonly minuteBegin: Instant | null;
  /** Whether a sustained load follows, which shows when the two groups are forgotten. */
  readonly isFollowed: boolean;
}

/** The search for a refusal stops after this multiple of the limit: there is no limiter of requests. */
const maxLimitMultiple = 2;

const requestsBeyondLimit = 8;
const shareBeyondLimit = 0.12;

/** More requests than the limit: enough to show a limit that is a tenth too high. */
export const aboveLimit = ({ limit }: LimitRule): number =>
  limit + Math.max(requestsBeyondLimit, Math.ceil(shareBeyondLimit * limit));

/** Where in the server's minute the burst starts: far from its ends, so that a window on the clock and one from the first request end at different times. */
const startPhases = [[0.12, 0.88]] as const;

/** Maximum duration of the burst, in windows: refills and boundaries within it blur it. */
const burstWindows = 0.04;
/** Maximum requests at once: more would exceed caps on requests in flight. */
const maxTogether = 32;

const tricklePerWindow = 10;
/** Maximum wait until a request is admitted again, in windows: longer than any window, so that a lock shows. */
const maxWaitWindows = 1.6;
/** The first group after that, as a share of the limit, and when the second one follows, in windows: a log forgets them one after the other, a window both at once. */
const firstGroup = 1 / 8;
const secondGroupAt = 0.45;
/** When both are over, and how long the refill of a bucket is observed, in windows. */
const forgottenAt = 1.06;
const refillWatchWindows = 1 / 3;

/** The size of the first group. */
const groupSize = ({ limit }: LimitRule): number => Math.max(1, Math.ceil(limit * firstGroup));

/** Requests that show whether more than the first group is admitted again. */
const lastGroup = (rule: LimitRule): number => 2 * groupSize(rule) + 2;

/** How many requests at once keep a burst of the limit short. */
const togetherFor = ({ limit, window }: LimitRule, roundTrip: number): number =>
  Math.min(maxTogether, Math.max(1, Math.ceil((limit * roundTrip) / (burstWindows * window))));

/** Maximum requests of `provokeLimiter`, reached if nothing is refused. */
export const maxProvocationRequests = (rule: LimitRule): number =>
  2 * maxLimitMultiple * rule.limit +
  groupSize(rule) +
  lastGroup(rule) +
  Math.ceil(tricklePerWindow * (maxWaitWindows + refillWatchWindows)) +
  2 * maxTogether;

/** Typical requests of `provokeLimiter`. */
export const usualProvocationRequests = (rule: LimitRule): number =>
  Math.ceil(2 * rule.limit + tricklePerWindow) + 4;

const trickle = async (
  sender: ChatSender,
  window: number,
  until: number,
  stop: (admitted: boolean) => boolean,
): Promise<boolean> => {
  const interval = window / tricklePerWindow;
  for (let due = sender.now() + interval; due < until; due += interval) {
    await sender.sleepUntil(instant(due));
    if (stop(await sender.sendChat())) return true;
  }
  return false;
};

/**
 * Exhausts an idle key with one burst, waits with single requests until one is admitted, and exhausts
 * it again in two groups about half a window apart: what is forgotten when distinguishes the limiters.
 * Resolves to the instant at which the burst began.
 */
export const provokeLimiter = async (
  sender: ChatSender,
  { minuteBegin, isFollowed, ...rule }: ProvocationOptions,
): Promise<Instant> => {
  const { limit, window } = rule;
  if (minuteBegin !== null) await sleepUntilPhase(sender, minuteBegin, window, startPhases);
  const begin = sender.now();
  if (sender.roundTrip() === 0) await sender.sendChat();
  const together = togetherFor(rule, sender.roundTrip());
  await sendUntilRefused(sender, maxLimitMultiple * limit, together);
  const isAdmitted = (admitted: boolean): boolean => admitted;
  const patience = sender.now() + maxWaitWindows * window;
  if (!(await trickle(sender, window, patience, isAdmitted))) return begin;
  const again = sender.now();
  if (await sendUntilRefused(sender, groupSize(rule) - 1, 1)) {
    await trickle(sender, window, sender.now() + refillWatchWindows * window, () => false);
    return begin;
  }
  await sender.sleepUntil(instant(again + secondGroupAt * window));
  await sendUntilRefused(sender, maxLimitMultiple * limit, together);
  if (isFollowed) return begin;
  await sender.sleepUntil(instant(again + forgottenAt * window));
  await sendUntilRefused(sender, lastGroup(rule), 1);
  return begin;
};

/** How far from the first burst the second one starts, in parts of a window: away from the boundaries of windows, and of steps of halves to fifths, that can be in the first. */
const secondBurstPhases = [
  [0.27, 0.31],
  [0.35, 0.38],
  [0.42, 0.47],
  [0.53, 0.58],
  [0.62, 0.645],
  [0.69, 0.73],
] as const;

/** Sends more requests than the limit at once with an idle key: counters that lose updates admit too many. */
export const releaseTogether = async (
  sender: ChatSender,
  rule: LimitRule,
  firstBurst: Instant | null,
): Promise<void> => {
  if (firstBurst !== null) {
    await sleepUntilPhase(sender, firstBurst, rule.window, secondBurstPhases);
  }
  await Promise.all(Array.from({ length: aboveLimit(rule) }, () => sender.sendChat()));
};

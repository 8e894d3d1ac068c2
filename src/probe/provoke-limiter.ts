import type { LimitRule } from '../model/limits/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';

export interface ChatSender {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** Sends one small request; resolves to whether it was admitted (true if there was no answer). */
  sendChat(): Promise<boolean>;
}

export interface ProvocationOptions extends LimitRule {
  /** A start of the server's minute; `null` if its clock is unknown. */
  readonly minuteBegin: Instant | null;
}

/** The search for a refusal stops after this multiple of the limit: there is no limiter of requests. */
const maxLimitMultiple = 2;

const requestsBeyondLimit = 20;

/** Time in ms after which no earlier request is in any window. */
export const idleTime = ({ window }: LimitRule): number => window + window / 30;

/** The idle time before the provocation: two counters of adjacent windows remember twice as long. */
export const longIdleTime = ({ window }: LimitRule): number => 2 * window + window / 30;

const tricklePerWindow = 24;
/**
 * When in the server's minute the provocation starts, and when after it the second half of the limit is
 * sent, in windows: both are far from the edges of steps of any typical number.
 */
const startPhase = 0.383;
const secondHalf = 0.242;
/** Maximum windows for half a limit one by one; with slower answers two are sent at once: more would exceed caps on requests in flight. */
const maxHalfWindows = 0.15;
/** Maximum wait until a request is admitted again, and how long the refill is observed, in windows. */
const maxWaitWindows = 1.2;
const refillWatchWindows = 1 / 3;

/** Maximum requests of `provokeLimiter`, reached if nothing is refused. */
export const maxProvocationRequests = ({ limit }: LimitRule): number =>
  Math.ceil(limit / 2) +
  2 * maxLimitMultiple * limit +
  limit +
  Math.ceil(tricklePerWindow * (maxWaitWindows + refillWatchWindows));

/**
 * Provokes the limiter of one idle key so that every class can be identified: half the limit, the
 * other half about a quarter of a window later; then single requests until one is admitted, a burst at
 * that moment, and single requests again for the speed of the refill. About 2.5 limits of requests and
 * 1.7 windows of time. It starts at a fixed phase of the server's minute if known, so that a window on
 * the clock and one from the first request end at different times.
 */
export const provokeLimiter = async (
  sender: ChatSender,
  { limit, window, minuteBegin }: ProvocationOptions,
): Promise<void> => {
  const askUntilRefused = async (maxRequests: number, together = 1): Promise<void> => {
    for (let sentCount = 0; sentCount < maxRequests; sentCount += together) {
      const round = Array.from({ length: Math.min(together, maxRequests - sentCount) }, () =>
        sender.sendChat(),
      );
      if ((await Promise.all(round)).includes(false)) return;
    }
  };
  const trickle = async (until: number, stop: (admitted: boolean) => boolean): Promise<void> => {
    const trickleInterval = window / tricklePerWindow;
    for (let due = sender.now() + trickleInterval; due < until; due += trickleInterval) {
      await sender.sleepUntil(instant(due));
      if (stop(await sender.sendChat())) return;
    }
  };

  const idleUntil = sender.now() + longIdleTime({ limit, window });
  const minute = minuteBegin ?? idleUntil;
  const start = minute + startPhase * window;
  const ahead = Math.ceil((idleUntil - start) / window) * window;
  await sender.sleepUntil(instant(minuteBegin === null ? idleUntil : start + ahead));
  const begin = sender.now();
  await sender.sendChat();
  const roundTrip = sender.now() - begin;
  const half = Math.ceil(limit / 2);
  const together = half * roundTrip > maxHalfWindows * window ? 2 : 1;
  await askUntilRefused(half - 1, together);
  await sender.sleepUntil(instant(begin + secondHalf * window));
  await askUntilRefused(maxLimitMultiple * limit, together);
  // Within one window after the refusal every limiter admits a request unless it is locked.
  await trickle(sender.now() + maxWaitWindows * window, (admitted) => admitted);
  await askUntilRefused(maxLimitMultiple * limit, together);
  await Promise.all(Array.from({ length: limit }, () => sender.sendChat()));
  await trickle(sender.now() + window * refillWatchWindows, () => false);
};

export const maxReleasedRequests = ({ limit }: LimitRule): number => limit + requestsBeyondLimit;

/** Sends more requests than the limit at once with an idle key: counters that lose updates admit too many. */
export const releaseTogether = async (sender: ChatSender, rule: LimitRule): Promise<void> => {
  await sender.sleepUntil(instant(sender.now() + idleTime(rule)));
  await Promise.all(Array.from({ length: maxReleasedRequests(rule) }, () => sender.sendChat()));
};

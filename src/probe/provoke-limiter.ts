import type { LimitRule } from '../model/limits/limit-log.ts';
import { type Instant, instant } from '../model/quantity.ts';

/** What an experiment on one key can do: look at the clock, wait, and ask once. */
export interface ChatSender {
  now(): Instant;
  sleepUntil(moment: Instant): Promise<void>;
  /** Sends one small request; resolves to whether it was let in, an answer that never came taken for one that was. */
  sendChat(): Promise<boolean>;
}

/** Where the server's minute begins, if its clock is known. */
export interface ProvocationOptions extends LimitRule {
  readonly minuteBegin: Instant | null;
}

/** The first phase gives up after this many times the limit: no limiter of requests is there. */
const maxLimitMultiple = 2;

/** Requests beyond the limit that are released together. */
const requestsBeyondLimit = 20;

/** A key must have been idle this long before, so that nothing earlier is in any window. */
export const idleTime = ({ window }: LimitRule): number => window + window / 30;

/** How long before the provocation: two counters of adjoining windows remember twice as long. */
export const longIdleTime = ({ window }: LimitRule): number => 2 * window + window / 30;

/** One request now and then: so many in a window. */
const tricklePerWindow = 24;
/**
 * Where in the server's minute the provocation begins, and how long after it the second half of the limit is sent,
 * in windows: at both moments the edges of steps of any usual number are far.
 */
const startPhase = 0.383;
const secondHalf = 0.242;
/** One by one, half a limit must be through in this many windows; where answers come too slowly for that, two are sent at once: more would meet caps in flight. */
const maxHalfWindows = 0.15;
/** How long to wait at most until a request is let in again, and how long the refill is watched, in windows. */
const maxWaitWindows = 1.2;
const refillWatchWindows = 1 / 3;

/** At most so many requests by `provokeLimiter`: what a limiter that refuses nothing leads to. */
export const maxProvocationRequests = ({ limit }: LimitRule): number =>
  Math.ceil(limit / 2) +
  2 * maxLimitMultiple * limit +
  limit +
  Math.ceil(tricklePerWindow * (maxWaitWindows + refillWatchWindows));

/**
 * Provokes the limiter of one idle key so that every class shows itself: half the limit at once,
 * the rest about a quarter of a window later; then one request now and then until one is let through, a
 * burst at that moment, and again one now and then for the speed of the refill. About 2.5 limits of
 * requests and 1.7 windows of time. Begins at its own place in the server's minute where that is known,
 * so that a window on the clock and one from the first request end at different times.
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
  // One window after the refusal every limiter but a locked one has let something through.
  await trickle(sender.now() + maxWaitWindows * window, (admitted) => admitted);
  await askUntilRefused(maxLimitMultiple * limit, together);
  await Promise.all(Array.from({ length: limit }, () => sender.sendChat()));
  await trickle(sender.now() + window * refillWatchWindows, () => false);
};

export const maxReleasedRequests = ({ limit }: LimitRule): number => limit + requestsBeyondLimit;

/** Releases more than the limit at once at a key that has been idle: counters that lose updates let too many in. */
export const releaseTogether = async (sender: ChatSender, rule: LimitRule): Promise<void> => {
  await sender.sleepUntil(instant(sender.now() + idleTime(rule)));
  await Promise.all(Array.from({ length: maxReleasedRequests(rule) }, () => sender.sendChat()));
};

import { burstEnvelope } from '../judge/facts/burst-envelope.ts';
import { firstKeyHistory, limiterDecisions } from '../judge/limiter-decisions.ts';
import type { LimitLog, LimitRule } from '../../../model/limits/limit-log.ts';
import { type Instant, instant } from '../../../model/quantity.ts';
import { type ChatSender, sendUntilRefused, sleepUntilPhase } from './chat-sender.ts';
import { aboveLimit } from './provoke-limiter.ts';

/** How far from the first burst the second one starts, in parts of a window: away from the boundaries of windows, and of steps of halves to fifths, that can be in the first. */
const secondBurstPhases = [
  [0.27, 0.31],
  [0.35, 0.38],
  [0.42, 0.47],
  [0.53, 0.58],
  [0.62, 0.645],
  [0.69, 0.73],
] as const;

/** How close to a boundary of the server's own windows the second burst may start, in windows: one that straddles it shows nothing of what it counted where. */
const boundaryMargin = 0.06;

/**
 * Where a third burst starts, in parts of a window after the second one. Both take almost no time, so these are the middles of the
 * widest gaps between the fractions of up to eleven parts: no steps of a refill but small ones can be in both.
 */
const repeatedBurstPhases = [
  [0.03, 0.06],
  [0.465, 0.487],
  [0.513, 0.535],
  [0.94, 0.97],
] as const;

interface ReleaseOptions {
  /** When an earlier burst began, and whether that was one of this kind. */
  readonly firstBurst: Instant | null;
  readonly isRepeated: boolean;
  /** A start of the server's minute; `null` if its clock is unknown. */
  readonly minuteBegin: Instant | null;
}

/** Sends more requests than the limit at once with an idle key: counters that lose updates admit too many. Resolves to when it began. */
export const releaseTogether = async (
  sender: ChatSender,
  rule: LimitRule,
  { firstBurst, isRepeated, minuteBegin }: ReleaseOptions,
): Promise<Instant> => {
  if (firstBurst !== null) {
    const isClear = ([from]: readonly [number, number]): boolean => {
      if (minuteBegin === null) return true;
      const phase = ((((firstBurst - minuteBegin) / rule.window + from) % 1) + 1) % 1;
      return phase >= boundaryMargin && phase <= 1 - boundaryMargin;
    };
    const ranges = (isRepeated ? repeatedBurstPhases : secondBurstPhases).filter(isClear);
    await sleepUntilPhase(sender, firstBurst, rule.window, ranges);
  }
  const begin = sender.now();
  await Promise.all(Array.from({ length: aboveLimit(rule) }, () => sender.sendChat()));
  return begin;
};

/** How many requests after a burst, and how many times as far apart as the limit admits them: a bucket admits them all, what forgets whole windows none of them. */
const refillRequests = 3;
const refillSpacing = 1.2;
/** Requests that exhaust again what was refilled. */
const emptyingRequests = 3;

/** Maximum requests of `watchRefill`. */
export const maxRefillRequests = refillRequests + emptyingRequests;

/**
 * Sends a few requests after a burst, as slowly as a bucket is refilled. A window that happens to end just after the first burst
 * looks like a bucket there, but not after another burst in another part of the window. The key is exhausted afterwards, as before.
 */
export const watchRefill = async (sender: ChatSender, rule: LimitRule): Promise<void> => {
  let isAdmitted = false;
  let due = sender.now() + (refillSpacing * rule.window) / rule.limit;
  for (let count = 0; count < refillRequests; count += 1) {
    await sender.sleepUntil(instant(due));
    isAdmitted = await sender.sendChat();
    due = Math.max(sender.now(), due) + (refillSpacing * rule.window) / rule.limit;
  }
  if (!isAdmitted) return;
  await sendUntilRefused(sender, { maxRequests: emptyingRequests, together: 1, expected: 1 });
};

/** Whether the last burst was admitted more than the limit, and a window's boundary within it can be the reason. */
export const isBurstUnclear = (log: LimitLog): boolean => {
  const { requests } = firstKeyHistory(log);
  const rule = log.declared.requests;
  const { bursts, isExceeded } = burstEnvelope(limiterDecisions(log), requests, rule);
  const last = bursts.at(-1);
  return !isExceeded && last !== undefined && last.admitted > last.allowed;
};

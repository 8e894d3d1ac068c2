import type { LimitRule, LimitLog } from '../../../model/limits/limit-log.ts';
import { type Instant, instant } from '../../../model/quantity.ts';
import { type ChatSender, sendUntilRefused, sleepUntilPhase } from './chat-sender.ts';
import { burstEnvelope } from '../judge/facts/burst-envelope.ts';
import { firstKeyHistory, limiterDecisions } from '../judge/limiter-decisions.ts';

interface ProvocationOptions extends LimitRule {
  /** A start of the server's minute; `null` if its clock is unknown. */
  readonly minuteBegin: Instant | null;
  /** Whether a sustained load follows, which shows when the two groups are forgotten. */
  readonly isFollowed: boolean;
}

/** The search for a refusal ends at this multiple of the limit: nothing limits requests then. */
const maxLimitMultiple = 2;

/** Returns enough requests above the limit to show a limit that is a tenth too high. */
export const aboveLimit = ({ limit }: LimitRule): number =>
  limit + Math.max(8, Math.ceil(0.12 * limit));

/** Where in the server's minute the burst starts: windows on the clock then end at another time than its own. */
const startPhases = [[0.12, 0.88]] as const;

/** The maximum duration of the burst, in windows: refills and boundaries within it blur it. */
const burstWindows = 0.04;
/** The maximum number of requests at once: more would exceed caps on requests in flight. */
const maxTogether = 32;

const tricklePerWindow = 10;
/** The maximum wait until a request is admitted again, in windows: longer than any window, so that a lock shows. */
const maxWaitWindows = 1.6;
/**
 * The first group after that, as a share of the limit, and the start of the second, in windows. A log forgets them one
 * after the other, and a window both at once; a bucket beside a window then has little left.
 */
const firstGroup = 1 / 8;
const secondGroupAt = 0.88;
/** When the groups are over, and how long the refill of a bucket is observed, in windows. */
const forgottenAt = 1.06;
const refillWatchWindows = 1 / 3;

const groupSize = ({ limit }: LimitRule): number => Math.max(1, Math.ceil(limit * firstGroup));

/** Returns the number of requests that show whether more than the first group is admitted again. */
const lastGroup = (rule: LimitRule): number => groupSize(rule) + 3;

/** Returns how many requests at once keep a burst of the limit short. */
const togetherFor = ({ limit, window }: LimitRule, roundTrip: number): number =>
  Math.min(maxTogether, Math.max(1, Math.ceil((limit * roundTrip) / (burstWindows * window))));

/** Returns the maximum number of requests of `provokeLimiter`; without a load that follows 149 for a limit of 60. */
export const maxProvocationRequests = (rule: LimitRule, isFollowed: boolean): number =>
  isFollowed
    ? 2 * maxLimitMultiple * rule.limit +
      groupSize(rule) +
      lastGroup(rule) +
      Math.ceil(tricklePerWindow * (maxWaitWindows + refillWatchWindows)) +
      2 * maxTogether
    : Math.ceil(2.2 * rule.limit) + 17;

/** Returns the typical number of requests of `provokeLimiter`. */
export const usualProvocationRequests = (rule: LimitRule): number =>
  Math.ceil(2 * rule.limit + tricklePerWindow) + 4;

/** Returns a sender that knows how many of `most` requests are left. */
const countedSender = (sender: ChatSender, most: number) => {
  let left = most;
  return {
    ...sender,
    left: () => left,
    sendChat: () => {
      left -= 1;
      return sender.sendChat();
    },
  };
};

const trickle = async (
  sender: ReturnType<typeof countedSender>,
  window: number,
  until: number,
  stop: (admitted: boolean) => boolean,
): Promise<boolean> => {
  const interval = window / tricklePerWindow;
  for (let due = sender.now() + interval; due < until; due += interval) {
    if (sender.left() <= 0) return false;
    await sender.sleepUntil(instant(due));
    if (stop(await sender.sendChat())) return true;
  }
  return false;
};

/**
 * Exhausts an idle key with a burst, waits until a single request is admitted, and exhausts it again in two groups,
 * late in the same window: when each group is forgotten distinguishes limiters. Resolves to when the burst began.
 */
export const provokeLimiter = async (
  uncounted: ChatSender,
  { minuteBegin, isFollowed, ...rule }: ProvocationOptions,
): Promise<Instant> => {
  const { limit, window } = rule;
  const sender = countedSender(uncounted, maxProvocationRequests(rule, isFollowed));
  if (minuteBegin !== null) await sleepUntilPhase(sender, minuteBegin, window, startPhases);
  const begin = sender.now();
  if (sender.roundTrip() === 0) await sender.sendChat();
  const together = togetherFor(rule, sender.roundTrip());
  const burst = (most: number, expected: number, atOnce = 1): Promise<boolean> => {
    const maxRequests = Math.min(most, sender.left());
    return sendUntilRefused(sender, { maxRequests, together: atOnce, expected });
  };
  await burst(maxLimitMultiple * limit, limit, together);
  const isAdmitted = (admitted: boolean): boolean => admitted;
  const patience = sender.now() + maxWaitWindows * window;
  if (!(await trickle(sender, window, patience, isAdmitted))) return begin;
  const again = sender.now();
  const group = groupSize(rule);
  if (await burst(group - 1, group)) {
    await trickle(sender, window, sender.now() + refillWatchWindows * window, () => false);
    return begin;
  }
  await sender.sleepUntil(instant(again + secondGroupAt * window));
  await burst(maxLimitMultiple * limit, limit - group, together);
  if (isFollowed || sender.left() <= 0) return begin;
  await sender.sleepUntil(instant(again + forgottenAt * window));
  await burst(lastGroup(rule), lastGroup(rule));
  return begin;
};

/** Where the second burst starts, in parts of a window after the first: far from halves to fifths of a window. */
const secondBurstPhases = [
  [0.27, 0.31],
  [0.35, 0.38],
  [0.42, 0.47],
  [0.53, 0.58],
  [0.62, 0.645],
  [0.69, 0.73],
] as const;

/** How close to a boundary on the server's clock a burst may start, in windows: one that straddles it proves little. */
const boundaryMargin = 0.06;

/**
 * Where a third burst starts, in parts of a window after the second: the middles of the widest gaps between fractions
 * of up to eleven parts. So only very small steps of a refill can lie within both bursts.
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

/** Sends more than the limit at once: counters that lose updates admit too many. Resolves to when it began. */
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

/** The requests after a burst: a bucket admits them all, and what forgets whole windows none of them. */
const refillRequests = 3;
/** Their distance, as a multiple of what the limit admits. */
const refillSpacing = 1.2;
/** The requests that exhaust again what was refilled. */
const emptyingRequests = 3;

export const maxRefillRequests = refillRequests + emptyingRequests;

/**
 * Sends a few requests after a burst, as slowly as a bucket is refilled, and exhausts the key again. A window that ends
 * just after the first burst looks like a refill there, but not after a burst at another phase.
 */
export const watchRefill = async (sender: ChatSender, rule: LimitRule): Promise<void> => {
  const spacing = (refillSpacing * rule.window) / rule.limit;
  let isAdmitted = false;
  let due: number = sender.now();
  for (let count = 0; count < refillRequests; count += 1) {
    due = Math.max(sender.now(), due) + spacing;
    await sender.sleepUntil(instant(due));
    isAdmitted = await sender.sendChat();
  }
  if (!isAdmitted) return;
  await sendUntilRefused(sender, { maxRequests: emptyingRequests, together: 1, expected: 1 });
};

/** Decides whether the last burst was admitted more than the limit, which a window's boundary in it can explain. */
export const isBurstUnclear = (log: LimitLog): boolean => {
  const { requests } = firstKeyHistory(log);
  const rule = log.declared.requests;
  const { bursts, isExceeded } = burstEnvelope(limiterDecisions(log), requests, rule);
  const last = bursts.at(-1);
  return !isExceeded && last !== undefined && last.admitted > last.allowed;
};

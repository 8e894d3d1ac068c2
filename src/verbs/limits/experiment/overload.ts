import type { LimitRule, LimitLog } from '../../../model/limits/limit-log.ts';
import { type Instant, instant } from '../../../model/quantity.ts';
import { type ChatSender, sendUntilRefused, sleepUntilPhase } from './chat-sender.ts';
import { burstEnvelope } from '../judge/facts/burst-envelope.ts';
import { firstKeyHistory, limiterDecisions } from '../judge/limiter-decisions.ts';
import { longestWindow } from '../../../judge/limits/facts/rule-bounds.ts';

interface ProvocationOptions extends LimitRule {
  /** A start of a window on the server's clock; `null` if the server's clock is unknown. */
  readonly minuteBegin: Instant | null;
  /**
   * Whether a sustained load follows. Such a load also shows when a limiter forgets the two groups of requests, so the
   * last burst is then left out.
   */
  readonly isFollowed: boolean;
}

/**
 * The multiple of the limit at which the search for a refusal ends. If this many requests were all admitted, nothing
 * limits requests.
 */
const maxLimitMultiple = 2;

/** Returns a number of requests that exceeds the limit, and would also exceed a limit that is a tenth higher. */
const aboveLimit = ({ limit }: LimitRule): number => limit + Math.max(8, Math.ceil(0.12 * limit));

/**
 * The size of a burst that is sent at once, as a multiple of the limit. To this size, the refill of a bucket during the
 * burst is added.
 */
const burstMultiple = 1.25;
/** Answers in a burst are assumed to take this many times as long as a single answer. */
const slowdown = 1.5;

/** Returns how many requests a burst sends at once: more if answers take longer (`roundTrip`, in ms). */
export const burstSize = (rule: LimitRule, roundTrip: number): number => {
  const span = (slowdown * roundTrip) / rule.window;
  const size = Math.ceil(burstMultiple * rule.limit * (1 + span)) + 2;
  return Math.min(maxBurstSize(rule), Math.max(aboveLimit(rule), size));
};

export const maxBurstSize = (rule: LimitRule): number => 2 * Math.max(rule.limit, aboveLimit(rule));

/**
 * The burst starts in this part of a window on the server's clock. A window that begins with the burst then ends at
 * another time than the window on the clock, so the log can distinguish the two.
 */
const startPhases = [[0.12, 0.88]] as const;
/**
 * The burst lasts at most this many windows. Refills and ends of windows within a longer burst would blur the result.
 */
const burstWindows = 0.04;
/**
 * The maximum number of requests in flight. With this low number, a cap on requests in flight hardly ever refuses a
 * request.
 */
const maxTogether = 32;
const tricklePerWindow = 10;
/**
 * The maximum wait until a request is admitted again, in windows. The wait is longer than any window, so that a lockout
 * is noticed.
 */
const maxWaitWindows = 1.6;
/**
 * The first group has the share `firstGroup` of the limit. The second group starts `secondGroupAt` windows later. A
 * sliding log forgets the two groups one after the other, but a window forgets both at once. A limiter that combines a
 * bucket with a window can admit little when the second group starts.
 */
const firstGroup = 1 / 8;
const secondGroupAt = 0.88;
/**
 * The last burst starts `forgottenAt` windows after the first group, and shows whether the limiter has forgotten only
 * the first group or both groups. The refill of a bucket is watched for `refillWatchWindows` windows.
 */
const forgottenAt = 1.06;
const refillWatchWindows = 1 / 3;

const groupSize = ({ limit }: LimitRule): number => Math.max(1, Math.ceil(limit * firstGroup));

/**
 * Returns the size of a last burst: a little more than the first group. The burst shows whether more than the first
 * group is admitted again.
 */
const lastGroup = (rule: LimitRule): number => groupSize(rule) + 3;

/** Returns how many requests must be sent at once so that a burst of as many requests as the limit stays short. */
const togetherFor = ({ limit, window }: LimitRule, roundTrip: number): number =>
  Math.min(maxTogether, Math.max(1, Math.ceil((limit * roundTrip) / (burstWindows * window))));

/**
 * Returns the maximum number of requests that `provokeLimiter` sends: 149 for a limit of 60 without a following load.
 */
export const maxProvocationRequests = (rule: LimitRule, isFollowed: boolean): number =>
  isFollowed
    ? 2 * maxLimitMultiple * rule.limit +
      groupSize(rule) +
      lastGroup(rule) +
      Math.ceil(tricklePerWindow * (maxWaitWindows + refillWatchWindows)) +
      2 * maxTogether
    : Math.ceil(2.2 * rule.limit) + 17;

/**
 * Returns the usual number of requests of an overload, as a mean over limiters. Small buckets end an overload early. If
 * no sustained load follows, limiters with windows get a last group of requests.
 */
export const usualProvocationRequests = ({ limit }: LimitRule, isFollowed: boolean): number =>
  Math.ceil((isFollowed ? 2 : 1.65) * limit + tricklePerWindow) + 4;

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
 * Exhausts an idle key with a burst, and waits until a single request is admitted. Late in the same window, two groups
 * of requests exhaust the key again. The times at which a limiter forgets the groups distinguish limiters. Resolves
 * with the start of the burst.
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

/**
 * The start of the second burst, in windows after the first. The phases are far from multiples of a half, a third, a
 * quarter and a fifth of a window.
 */
const secondBurstPhases = [
  [0.27, 0.31],
  [0.35, 0.38],
  [0.42, 0.47],
  [0.53, 0.58],
  [0.62, 0.645],
  [0.69, 0.73],
] as const;

/**
 * A burst starts at least this many windows from the end of a window on the server's clock, since a burst across that
 * end proves little.
 */
const boundaryMargin = 0.06;

/**
 * The start of a third burst, in windows after the second. Only a refill in very small steps can fall into both the
 * second and the third burst.
 */
const repeatedBurstPhases = [
  [0.03, 0.06],
  [0.465, 0.487],
  [0.513, 0.535],
  [0.94, 0.97],
] as const;

interface ReleaseOptions {
  /**
   * The start of an earlier burst; `null` if no burst came before. `isRepeated` says that `releaseTogether` sent the
   * earlier burst.
   */
  readonly firstBurst: Instant | null;
  readonly isRepeated: boolean;
  /** A start of a window on the server's clock; `null` if the server's clock is unknown. */
  readonly minuteBegin: Instant | null;
}

/**
 * Sends more requests than the limit at once. A counter that loses concurrent updates then admits too many requests.
 * Resolves with the start of the burst.
 */
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
  const length = burstSize(rule, sender.roundTrip());
  await Promise.all(Array.from({ length }, () => sender.sendChat()));
  return begin;
};

/** The number of slow requests after a burst. A bucket admits them all; a limiter that forgets whole windows, none. */
const refillRequests = 3;
/** The time between the requests after a burst, as a multiple of window / limit. A bucket refills slightly faster. */
const refillSpacing = 1.2;
/** The number of further requests that use up the refill again. */
const emptyingRequests = 3;

export const maxRefillRequests = refillRequests + emptyingRequests;

/**
 * Sends a few requests after a burst, as slowly as a bucket refills, and exhausts the key again. A window that ends
 * just after the first burst looks like a refill. After a burst at another phase, no window ends, so only a bucket
 * looks like a refill.
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

export const isBurstUnclear = (log: LimitLog): boolean => {
  const { requests } = firstKeyHistory(log);
  const rule = log.declared.requests;
  const { bursts, isExceeded } = burstEnvelope(limiterDecisions(log), requests, rule);
  const isUnclear = bursts.some(
    ({ isAfterIdle, admitted, allowed }) => isAfterIdle && admitted > allowed,
  );
  return !isExceeded && isUnclear;
};

/** In each window, the sustained load sends this many times the limit. */
const loadMultiple = 1.4;
/**
 * If the admissions exceed the expected number, minus the limit, by at least this many, the rate is certainly not too
 * low.
 */
const slackRequests = 3;
const lowestRateShare = 5 / 6;
/**
 * The load ends after this many windows without an admission. A limiter that admits nothing for this time counts
 * refused requests, too, and will admit nothing more.
 */
const lockedWindows = 2.1;
/** If hardly anything was refused, the limit is still unknown, so the load lasts up to this many times as long. */
const extension = 1.7;
const refusedShare = 0.05;
/** The share of the load that must be answered. If fewer requests are answered, the limiter delays requests. */
const promptShare = 0.8;
const minWindows = 1.5;

export const maxSustainedRequests = ({ limit }: LimitRule, windows: number): number =>
  Math.ceil(extension * windows * loadMultiple * limit) + 2;

export const usualSustainedRequests = ({ limit }: LimitRule, windows: number): number =>
  Math.ceil(usualSustainedWindows(windows) * loadMultiple * limit);

/**
 * Returns how many windows the sustained load typically lasts. With a load of 3 windows, about 2 are enough to
 * recognise a compliant limiter.
 */
export const usualSustainedWindows = (windows: number): number =>
  Math.min(windows, Math.max(minWindows, windows - 1.2));

/**
 * Returns the instants at which the load sends, in ms after its start: the instants of an even pace, which every
 * permitted limiter admits, and instants in between.
 */
const loadInstants = (rule: LimitRule, windows: number, roundTrip: number): readonly number[] => {
  const spacing = longestWindow(rule.window) / rule.limit + 1.5 * roundTrip + 2;
  const end = windows * rule.window;
  const moments: number[] = [];
  const perSpacing = (loadMultiple * rule.limit * spacing) / rule.window;
  let due = 0;
  for (let tick = 0; tick * spacing < end; tick += 1) {
    // Adds the requests due until the next tick to the fraction that earlier ticks left over.
    due += perSpacing;
    const count = Math.max(1, Math.round(due));
    due -= count;
    for (let i = 0; i < count; i += 1) moments.push((tick + i / count) * spacing);
  }
  return moments;
};

/**
 * Sends more than the limit for some windows. The load ends early once the rate of admissions is certain to be neither
 * too high nor too low.
 */
export const sustainLoad = async (
  sender: ChatSender,
  rule: LimitRule,
  windows: number,
): Promise<void> => {
  const { limit, window } = rule;
  const begin = sender.now();
  const most = maxSustainedRequests(rule, windows);
  const moments = loadInstants(rule, extension * windows, sender.roundTrip()).slice(0, most);
  const planned = moments.length / extension;
  const share = windows <= 3 ? lowestRateShare : 1;
  const spaced = (share * planned) / loadMultiple;
  let admitted = 0;
  let refused = 0;
  const late = { decided: 0, refused: 0 };
  let lastAdmitted: number = begin;
  const pending: Promise<void>[] = [];
  let failure = null as Error | null;
  const send = async (): Promise<void> => {
    const isLate = sender.now() > begin + longestWindow(window);
    try {
      const isAdmitted = await sender.sendChat();
      if (isAdmitted) {
        admitted += 1;
        lastAdmitted = sender.now();
      } else refused += 1;
      if (isLate) {
        late.decided += 1;
        late.refused += Number(!isAdmitted);
      }
    } catch (error) {
      failure ??= error as Error;
    }
  };
  const isDecided = (): boolean => {
    const time = sender.now() - begin;
    if (sender.now() - lastAdmitted > lockedWindows * window) return true;
    const decided = admitted + refused;
    // Many unanswered requests mean that the limiter delays requests instead of refusing them. The load then ends after
    // `windows` without waiting for refusals. Only refusals after the first window are used, since requests before the
    // load may have caused earlier refusals.
    const isUnknown =
      late.refused <= refusedShare * late.decided && decided > promptShare * pending.length;
    if (time >= windows * window && !isUnknown) return true;
    const canExceed = planned - refused > (windows + 1) * limit;
    const canFallShort = admitted < spaced - limit + slackRequests;
    const isLong = time >= Math.min(windows, minWindows) * window;
    return isLong && !isUnknown && !canExceed && !canFallShort;
  };
  try {
    for (const moment of moments) {
      await sender.sleepUntil(instant(begin + moment));
      if (isDecided() || failure !== null) break;
      pending.push(send());
    }
  } finally {
    await Promise.all(pending);
  }
  if (failure !== null) throw failure;
};

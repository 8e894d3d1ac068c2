import { longestWindow } from '../../../judge/limits/facts/rule-bounds.ts';
import type { LimitRule } from '../../../model/limits/limit-log.ts';
import { instant } from '../../../model/quantity.ts';
import type { ChatSender } from './chat-sender.ts';

/** The requests of a load that always asks for more, as a multiple of the limit. */
const loadMultiple = 1.4;
/** The requests beyond one limit for each window but one that must be admitted, or else the rate is too low. */
const slackRequests = 3;
/** The share of three windows in which a rate of half the limit shows. */
const lowestRateShare = 5 / 6;
/** The windows without an admission after which the load ends: refusals count, so nothing more will be admitted. */
const lockedWindows = 2.1;
/** How many times longer the load lasts if hardly anything was refused: the limit is still unknown. */
const extension = 1.7;
/** The share of refusals that shows a limit. */
const refusedShare = 0.05;
/** The share of the load that must be answered, which it is not if the limiter delays. */
const promptShare = 0.8;
const minWindows = 1.5;

export const maxSustainedRequests = ({ limit }: LimitRule, windows: number): number =>
  Math.ceil(extension * windows * loadMultiple * limit) + 2;

/** Returns the typical number of requests, for a compliant limiter. */
export const usualSustainedRequests = ({ limit }: LimitRule, windows: number): number =>
  Math.ceil(usualSustainedWindows(windows) * loadMultiple * limit);

/** Returns the typical number of windows: a compliant limiter is known after about two of three. */
export const usualSustainedWindows = (windows: number): number =>
  Math.min(windows, Math.max(minWindows, windows - 1.2));

/**
 * Returns when the load sends, in ms from its start: once for each place of the limit, so far apart that a limiter
 * without any burst admits them all, and in between what is missing to the load.
 */
const loadInstants = (rule: LimitRule, windows: number, roundTrip: number): readonly number[] => {
  const spacing = longestWindow(rule.window) / rule.limit + 1.5 * roundTrip + 2;
  const end = windows * rule.window;
  const moments: number[] = [];
  const perSpacing = (loadMultiple * rule.limit * spacing) / rule.window;
  let due = 0;
  for (let tick = 0; tick * spacing < end; tick += 1) {
    // How many are due until the next tick, with what earlier ones left over.
    due += perSpacing;
    const count = Math.max(1, Math.round(due));
    due -= count;
    for (let i = 0; i < count; i += 1) moments.push((tick + i / count) * spacing);
  }
  return moments;
};

/** Sends more than the limit for some windows. It ends early once neither too much nor too little can be admitted. */
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
    // A limiter that delays has no refusals to wait for. Those of the first window can come from earlier requests.
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

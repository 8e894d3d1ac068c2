import { ownCountRatio, settleTime } from '../../../../judge/limits/facts/token-uses.ts';
import { burstsEvidence, longestBurst, refillStep } from '../../judge/tokens/token-bursts.ts';
import { requestsRegained } from '../../judge/tokens/token-refusals.ts';
import {
  countingEvidence,
  measuredCharges,
  plausibleRatios,
} from '../../judge/tokens/measured-charges.ts';
import { tokenGuards } from '../../judge/tokens/token-guards.ts';
import {
  isAdmitted,
  isRefused,
  type TokenKind,
  type TokenReply,
  usedTokens,
} from '../../model/token-log.ts';
import { type OpenExamination, forget, latencyOf, logOf, settleOf } from './open-examination.ts';
import { tapTimes, tapTokens } from './token-plan.ts';

const enoughRefusals = 2;
/** If answers take longer than this (ms, for a window of a minute), a burst sends all its requests at once. */
const slowAnswer = 4000;

/**
 * While the second burst has sent between `togetherShare` and `surelyWhole` of the limit, it sends only `fewTogether`
 * requests at once. A refusal at this time shows how much of the limit was used. With many requests at once, a gateway
 * that charges requests at their end could hide that its limit is smaller. The number of requests at once stays high if
 * the first burst exceeded the limit, or if answers are slow.
 */
const togetherShare = 0.6;
const fewTogether = 3;
const surelyWhole = 0.9;

const furtherChats = 12;
/** At most this many further prompts are in flight at once after a refusal. */
const furtherTogether = 4;
/**
 * After a refusal, the number of further prompts in flight at once is the time of an answer divided by this time (ms,
 * for a window of a minute), but at least 1 and at most `furtherTogether`.
 */
const furtherTime = 1000;

/**
 * Sends large prompts again after a refusal, a few at a time. With many prompts at once, a refusal would come before
 * the earlier prompts are charged, and would therefore show less.
 */
const askAgain = async (
  examination: OpenExamination,
  burst: number,
  until: number,
): Promise<void> => {
  const { client, plan, send, pause } = examination;
  const query = { phase: 'burst', burst, kind: 'chat', maxTokens: 1, isStream: false } as const;
  await pause(settleOf(examination));
  const latency = latencyOf(examination, plan.large) * (60_000 / plan.rule.window);
  const state = { sent: 0, isRefused: false };
  const sendUntilRefused = async (): Promise<void> => {
    while (!state.isRefused && state.sent < furtherChats && client.now() < until) {
      state.sent += 1;
      if (!isAdmitted(await send({ ...query, prompt: plan.large }))) state.isRefused = true;
    }
  };
  const together = Math.min(furtherTogether, Math.max(1, Math.round(latency / furtherTime)));
  await Promise.all(Array.from({ length: together }, sendUntilRefused));
};

/** `testNames` sends this many large prompts. */
const namedPrompts = 3;
/** `testNames` should take at most this many ms, for a window of a minute. */
const namingTime = 4000;
/** If more small chats than this would have to be sent at once, `testNames` sends nothing. */
const mostTogether = 10;

/**
 * Tests whether refusals that name the limit of requests come from the limit of tokens. Sends three prompts for which
 * no tokens are left, with small chats after the first and the second. A limiter of requests that refuses the prompts
 * would not admit so many chats between them.
 */
const testNames = async (examination: OpenExamination, burst: number): Promise<void> => {
  const { plan, send } = examination;
  const { requests, window } = plan.rule;
  const isNamed = examination.replies.some(
    (reply) => reply.burst === burst && reply.unit === 'requests',
  );
  if (requests === null || !isNamed) return;
  const needed = requestsRegained(plan.rule, namingTime * (window / 60_000));
  const together = Math.ceil((needed + 1) / (namedPrompts - 1));
  if (together > mostTogether) return;
  const query = { phase: 'burst', burst, kind: 'chat', maxTokens: 1, isStream: false } as const;
  const small = () => send({ ...query, prompt: tapTokens });
  for (let i = 0; i < namedPrompts; i += 1) {
    if (!isRefused(await send({ ...query, prompt: plan.refused }))) return;
    if (i === namedPrompts - 1) return;
    const replies = await Promise.all(Array.from({ length: together }, small));
    if (!replies.every(isAdmitted)) return;
  }
};

/**
 * Returns the numbers of the bursts in which the gateway admitted more than a limiter that keeps the limit can admit.
 */
const exceededBursts = (examination: OpenExamination): readonly number[] => {
  const log = logOf(examination, null);
  return burstsEvidence(log, tokenGuards(log).terms).flatMap(({ exceeded }, i) =>
    exceeded === null ? [] : [i + 1],
  );
};

/** Returns whether the gateway reports remaining tokens, but the reports do not show what single chats are charged. */
const isCountUnknown = (examination: OpenExamination): boolean => {
  const { hasRemaining } = tokenGuards(logOf(examination, null));
  const { finding } = countingEvidence(measuredCharges(examination.sorted()), ownCountRatio);
  return hasRemaining && finding === 'unknown';
};

/**
 * Returns whether the gateway may count fewer tokens than a burst above the limit contained. Sends two small chats
 * after the burst is charged. A gateway that keeps its limit refuses these chats. The first chat's answer reports the
 * remaining tokens before the second chat.
 */
const isExcusedByCount = async (examination: OpenExamination, burst: number): Promise<boolean> => {
  if (!isCountUnknown(examination)) return false;
  await examination.pause(settleOf(examination));
  for (const _ of ['report', 'admission'])
    if (!isAdmitted(await examination.tap('burst', burst))) return false;
  const log = logOf(examination, null);
  const found = burstsEvidence(log, tokenGuards(log).terms)[burst - 1]?.exceeded;
  return (found?.mostCounted ?? 0) >= plausibleRatios.least;
};

/**
 * Returns a large prompt. Prompts may begin alike only in the first burst, since a common beginning may come from a
 * cache and may not be charged in full.
 */
const burstQuery = ({ plan, isCacheUsed }: OpenExamination, burst: number) =>
  ({
    phase: 'burst',
    burst,
    prompt: plan.large,
    maxTokens: 1,
    hasCommonBeginning: isCacheUsed && burst === 1,
  }) as const;

/** Sends small chats after a burst. The chats show when the burst's usage is charged. */
const tapAfter = async (
  { client, plan, tap }: OpenExamination,
  burst: number,
  ended: number,
): Promise<void> => {
  for (const time of tapTimes) {
    await client.sleepUntil(ended + time * (plan.rule.window / 60));
    await tap('burst', burst);
  }
};

/**
 * Returns how many of its planned tokens a request did not use. An answer may be shorter than planned, and a refused
 * request uses no tokens.
 */
const unusedBy = (reply: TokenReply, planned: number): number =>
  isAdmitted(reply) ? Math.max(0, planned - (usedTokens(reply) ?? planned)) : planned;

/**
 * Sends a burst: several requests at once until the requests in flight certainly exceed the limit, then small chats.
 */
const sendBurst = async (examination: OpenExamination, burst: number): Promise<void> => {
  const { client, plan, send } = examination;
  const { tokens, window } = plan.rule;
  const scale = window / 60_000;
  let { ownCount } = tokenGuards(logOf(examination, null)).terms;
  const begun = client.now();
  const elapsed = (): number => client.now() - begun;
  const latency = latencyOf(examination, plan.large);
  const isSlow = latency > slowAnswer * scale;
  const together = isSlow ? plan.burstRequests : Math.ceil((36 * latency) / (window / 10));
  const state = { refused: 0, sent: 0, underWay: 0, isTapped: false };
  const isEnough = (): boolean => {
    const until =
      (isSlow && !state.isTapped ? 0 : elapsed()) +
      1.5 * latency +
      settleTime(window) +
      2800 * scale;
    return state.underWay >= ownCount * tokens * (1 + refillStep + until / window) + plan.large;
  };
  const most = plan.burstRequests - tapTimes.length;
  const sendUntil = async (isOver: () => boolean): Promise<void> => {
    while (
      !isOver() &&
      state.refused < enoughRefusals &&
      !isEnough() &&
      state.sent < most &&
      elapsed() < longestBurst(window)
    ) {
      const isStream = state.sent % 2 === 1;
      const kind: TokenKind = isStream ? 'stream' : 'chat';
      state.sent += 1;
      state.underWay += plan.large;
      const reply = await send({ ...burstQuery(examination, burst), kind, isStream });
      state.underWay -= unusedBy(reply, plan.large);
      if (!isAdmitted(reply)) state.refused += 1;
    }
  };
  const sendTogether = (lanes: number, isOver: () => boolean) =>
    Promise.all(Array.from({ length: Math.max(1, lanes) }, () => sendUntil(isOver)));
  const sendFewAtLast = async (): Promise<void> => {
    await sendTogether(together, () => state.underWay >= togetherShare * tokens);
    await examination.pause(settleOf(examination));
    await sendTogether(fewTogether, () => state.underWay >= surelyWhole * tokens);
  };
  if (burst === 2 && !isSlow && exceededBursts(examination).length === 0) await sendFewAtLast();
  await sendTogether(together, () => false);
  if (state.refused === 0 && (await isExcusedByCount(examination, burst))) {
    state.isTapped = true;
    ownCount = 1 / plausibleRatios.least;
    await sendTogether(together, () => false);
  }
  const ended = client.now();
  if (state.refused > 0) await askAgain(examination, burst, begun + longestBurst(window));
  await testNames(examination, burst);
  await tapAfter(examination, burst, ended);
};

/** Returns the next moment that is a whole number of windows after `origin`. */
const nextPhase = (now: number, origin: number, window: number): number =>
  origin + Math.ceil((now - origin) / window) * window;

/**
 * Returns when a burst after a small chat begins: a whole number of windows after `origin`, and either soon after the
 * chat or more than a window after it.
 */
const burstAfter = (now: number, origin: number, window: number): number => {
  const next = nextPhase(now, origin, window);
  return next - now < window / 6 ? next : nextPhase(now + 1.1 * window, origin, window);
};

/**
 * Sends two bursts, half a window apart, and other requests with `sendBetween` in between. Just before the second
 * burst, after two idle windows, sends a small chat.
 */
export const sendBursts = async (
  examination: OpenExamination,
  sendBetween: () => Promise<void>,
): Promise<void> => {
  const { client, plan, tap, onPhaseStart } = examination;
  const { window } = plan.rule;
  onPhaseStart('burst');
  const first = client.now();
  await sendBurst(examination, 1);
  await sendBetween();
  await forget(examination);
  onPhaseStart('recovery');
  const early = 2 * Math.max(settleOf(examination), examination.latency);
  const origin = burstAfter(client.now() + early, first + window / 2, window);
  // A window that this chat begins must not end within the burst. So the chat comes just before the burst, or more than
  // a window before it.
  if (origin - client.now() < window / 6) await client.sleepUntil(origin - early);
  if (!isAdmitted(await tap('recovery'))) {
    await forget(examination);
    await tap('recovery');
    return;
  }
  onPhaseStart('burst');
  await client.sleepUntil(origin);
  await sendBurst(examination, 2);
  const exceeded = exceededBursts(examination);
  if (exceeded.length !== 1) return;
  // If one of two bursts exceeded the limit, the end of a window may explain this, so a third burst is sent. The third
  // burst begins at the phase of the burst that did not exceed the limit. If that burst was not refused, a window may
  // have ended in it, too. The third burst then begins a quarter of a window later, between the phases of the first two
  // bursts.
  const other = exceeded[0] === 1 ? { number: 2, begin: origin } : { number: 1, begin: first };
  const isRefusedToo = examination.replies.some(
    (reply) => reply.burst === other.number && isRefused(reply),
  );
  await forget(examination);
  const begin = other.begin + (isRefusedToo ? 0 : window / 4);
  await client.sleepUntil(nextPhase(client.now(), begin, window));
  onPhaseStart('burst');
  await sendBurst(examination, 3);
};

import { longestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';
import { ownCountRatio } from '../../../../judge/limits/facts/token-uses.ts';
import {
  countingEvidence,
  isUsageCharged,
  measuredCharges,
} from '../../judge/tokens/measured-charges.ts';
import { lostLevels } from '../../judge/tokens/refused-with-room.ts';
import { chargesOf } from '../../judge/tokens/token-charges.ts';
import { tokenGuards } from '../../judge/tokens/token-guards.ts';
import { tokensRefusedEarly } from '../../judge/tokens/token-refusals.ts';
import { isRefused, type TokenKind, type TokenLog } from '../../model/token-log.ts';
import { account, calibrateTokens, reserve } from './measure-charges.ts';
import {
  Cut,
  type OpenExamination,
  forget,
  latencyOf,
  logOf,
  openExamination,
  settleOf,
  type TokenExaminationOptions,
} from './open-examination.ts';
import { sendBursts } from './send-bursts.ts';
import type { TokenClient } from './token-client.ts';
import { evenTokenPace, evenWindows, sustainedRates } from './token-plan.ts';

/**
 * The even pace begins once a bucket of the declared limit lacks at most this share of the limit. A bucket of a lower
 * limit then lacks a larger share of its own limit, so it shows that its limit is lower.
 */
const lackingShare = 0.5;

/** Waits after a burst until a bucket of the limit lacks at most `lackingShare` of the limit. */
const waitForBucket = async (examination: OpenExamination): Promise<void> => {
  const { client, pause } = examination;
  await pause(settleOf(examination));
  const log = logOf(examination, null);
  const { rule } = log;
  const admitted = chargesOf(log.replies, tokenGuards(log).terms).filter(
    ({ fate }) => fate === 'admitted',
  );
  const lost = lostLevels(admitted, [client.now()], rule)[0]!;
  await pause(Math.max(0, lost / rule.tokens - lackingShare) * longestWindow(rule.window));
};

const isRefusedEarly = (log: TokenLog): boolean => {
  const { terms, counting } = tokenGuards(log);
  return tokensRefusedEarly(log, terms, isUsageCharged(counting)).length > 0;
};

/**
 * Sends prompts evenly, at a rate below the limit. Begins soon after a burst, so that a bucket which refills too slowly
 * is empty before the end. At first, a counter that remembers the burst may refuse some prompts. Stops at the refusal
 * of a prompt that every limiter of this limit would have admitted.
 */
const sendEvenly = async (examination: OpenExamination): Promise<void> => {
  const { client, plan, send, onPhaseStart } = examination;
  await waitForBucket(examination);
  onPhaseStart('even');
  const counting = countingEvidence(measuredCharges(examination.sorted()), ownCountRatio);
  const ownCount = counting.finding === 'usage' ? 1 : ownCountRatio;
  const { rate } = evenTokenPace(plan, examination.latency, ownCount);
  const begun = client.now();
  const chats = Math.ceil((evenWindows * plan.rule.window * rate) / plan.slice);
  const isRefusedYet = { yes: false };
  const sendOne = async (i: number): Promise<void> => {
    const isStream = i % 2 === 1;
    const kind: TokenKind = isStream ? 'stream' : 'chat';
    const reply = await send({
      phase: 'even',
      kind,
      prompt: plan.slice,
      maxTokens: 1,
      isStream,
      hasCommonBeginning: examination.isCacheUsed,
    });
    if (isRefused(reply) && isRefusedEarly(logOf(examination, null))) isRefusedYet.yes = true;
  };
  const all: Promise<void>[] = [];
  for (let i = 0; i < chats && !isRefusedYet.yes; i += 1) {
    await client.sleepUntil(begun + (i * plan.slice) / rate);
    if (isRefusedYet.yes) break;
    const chat = sendOne(i);
    // `Promise.all` below reports a failure. This handler only prevents an unhandled rejection before `Promise.all`.
    chat.catch(() => undefined);
    all.push(chat);
  }
  await Promise.all(all);
};

/**
 * Sends prompts at a multiple of the limit, in as few lanes as the rate needs. A lane sends its next prompt after its
 * last prompt was answered and the gateway has had time to charge the last prompt.
 */
const sendAbove = async (
  examination: OpenExamination,
  prompt: number,
  rate: number,
): Promise<void> => {
  const { client, plan, send, onPhaseStart } = examination;
  const { sustain: windows, rule } = plan;
  onPhaseStart('sustained');
  const gap = (prompt * rule.window) / (rate * rule.tokens);
  const latency = latencyOf(examination, prompt);
  const lanes = Math.ceil((latency + settleOf(examination)) / gap);
  const begun = client.now();
  const sendInLane = async (lane: number): Promise<void> => {
    const isStream = lane % 2 === 1;
    const query = {
      phase: 'sustained',
      kind: isStream ? 'stream' : 'chat',
      prompt,
      maxTokens: 1,
      isStream,
      hasCommonBeginning: examination.isCacheUsed,
    } as const;
    let due = begun + lane * gap;
    while (due - begun < windows * rule.window) {
      await client.sleepUntil(due);
      await send(query);
      due = Math.max(due + lanes * gap, client.now() + settleOf(examination));
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, lane) => sendInLane(lane)));
};

/**
 * Waits until a bucket is at least half full again, then sends more than the limit. If charges may differ from the
 * usage, sends at a still higher rate, so that the rate exceeds the limit in any case.
 */
const sustain = async (examination: OpenExamination): Promise<void> => {
  const { plan } = examination;
  if (plan.sustain === 0) return;
  await waitForBucket(examination);
  const { ownCount } = tokenGuards(logOf(examination, null)).terms;
  const kind = ownCount === 1 ? 'exact' : 'rough';
  await sendAbove(examination, plan.sustained[kind], sustainedRates[kind]);
};

const examineAll = async (examination: OpenExamination): Promise<void> => {
  const { plan, onPhaseStart } = examination;
  onPhaseStart('calibration');
  await calibrateTokens(examination);
  if (!plan.isQuick) {
    onPhaseStart('accounting');
    await account(examination);
    const { chargesCached } = tokenGuards(logOf(examination, null)).terms;
    examination.isCacheUsed = plan.isCachedCheaper === true && chargesCached === true;
    onPhaseStart('reserve');
    await reserve(examination);
  }
  await forget(examination);
  await sendBursts(examination, async () => {
    if (!plan.isQuick) await sendEvenly(examination);
  });
  await sustain(examination);
};

/** Examines the limit of tokens of an idle key. Resolves with the log, whatever ends the examination. */
export const examineTokens = async (
  client: TokenClient,
  options: TokenExaminationOptions,
): Promise<TokenLog> => {
  const examination = openExamination(client, options);
  let cut: string | null = null;
  try {
    await examineAll(examination);
  } catch (error) {
    if (!(error instanceof Cut)) throw error;
    cut = error.message;
  }
  return logOf(examination, cut);
};

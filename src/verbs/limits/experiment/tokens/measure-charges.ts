import { longestWindow } from '../../../../judge/limits/facts/rule-bounds.ts';
import { failedStatusText } from '../send-probe-request.ts';
import { measuredCharges } from '../../judge/tokens/measured-charges.ts';
import { isAdmitted, isRefused, type TokenReply } from '../../model/token-log.ts';
import { Cut, type OpenExamination, forget, settleOf } from './open-examination.ts';
import type { TokenQuery } from './token-client.ts';
import { tapTokens } from './token-plan.ts';

/**
 * Sends a request. After its charge, a small chat reports the remaining tokens. If `isWatched`, a small chat also
 * reports them while the request is in flight. If `isExact`, a last small chat reports them once more.
 */
const measureKind = async (
  examination: OpenExamination,
  query: TokenQuery,
  { isExact, isWatched }: { isExact: boolean; isWatched: boolean },
): Promise<TokenReply> => {
  const { send, tap, pause } = examination;
  const { phase } = query;
  const subject = send(query);
  const beside = isWatched ? pause(30).then(() => tap(phase)) : null;
  const [reply] = await Promise.all([subject, beside]);
  await pause(settleOf(examination));
  await tap(phase);
  if (isExact) {
    await pause(settleOf(examination));
    await tap(phase);
  }
  return reply;
};

/**
 * Measures how many tokens a text has, how long an answer takes, and what a chat and a stream are charged. Half a
 * window after the start of the chat and the stream, sends another small chat.
 */
export const calibrateTokens = async (examination: OpenExamination): Promise<void> => {
  const { client, plan, tap } = examination;
  const phase = 'calibration';
  if (isRefused(await tap(phase))) await forget(examination);
  // Two lengths of text show how many tokens a word has.
  const words = {
    phase,
    kind: 'chat',
    prompt: plan.visible,
    maxTokens: 1,
    isStream: false,
  } as const;
  const sendSecond = () => examination.send({ ...words, isTap: true });
  let second = await sendSecond();
  if (isRefused(second)) {
    await forget(examination);
    second = await sendSecond();
  }
  if (!isAdmitted(second)) {
    throw new Cut(
      isRefused(second)
        ? 'the first chats were refused: the key is not idle'
        : `the first chat was answered with ${failedStatusText(second.status)}`,
    );
  }
  await examination.pause(settleOf(examination));
  await tap(phase);
  const begun = client.now();
  for (const kind of ['chat', 'stream'] as const) {
    await calibrateKind(examination, {
      phase,
      kind,
      prompt: plan.slice,
      maxTokens: 1,
      isStream: kind === 'stream',
    });
  }
  await client.sleepUntil(begun + plan.rule.window / 2);
  await tap(phase);
};

/**
 * The charge of a kind of request is measured at most this many times. A measurement fails if a window ends during it.
 */
const attempts = 3;

/**
 * Measures a chat or a stream with a prompt as large as those of the even pace, until its charge is seen. Throws if no
 * such request gets an answer.
 */
const calibrateKind = async (examination: OpenExamination, query: TokenQuery): Promise<void> => {
  let last: TokenReply | null = null;
  for (let i = 0; i < attempts; i += 1) {
    const options = { isExact: true, isWatched: query.isStream };
    const reply = await measureKind(examination, query, options);
    if (isAdmitted(reply)) {
      last = reply;
      examination.latency = Math.max(examination.latency, reply.ended - reply.sent);
    }
    const seen = measuredCharges(examination.sorted()).find(({ kind }) => kind === query.kind);
    const hasRemaining = examination.replies.some(({ reported }) => reported !== null);
    if (seen?.isSteady === true || (isAdmitted(reply) && !hasRemaining)) return;
    if (i === 0 && !isAdmitted(reply) && !isRefused(reply))
      throw new Cut(
        `a chat of ${query.prompt} tokens was answered with ${failedStatusText(reply.status)}`,
      );
  }
  if (last === null)
    throw new Cut(
      query.isStream
        ? `streamed chats of ${query.prompt} tokens were refused where others were admitted`
        : `chats of ${query.prompt} tokens were refused: the key is not idle`,
    );
};

/**
 * A request for a longer answer has at most this many prompt tokens. A longer prompt would hide the charge of the
 * answer.
 */
const shortPrompt = 100;
/**
 * The tokens of a longer answer: more than a weighted counter forgets during the measurement, but a small part of the
 * limit.
 */
const longAnswer = { least: 40, share: 1 / 100, most: 160 };

/**
 * Returns whether the end of a window hid the charge of a longer answer. It did if single chats show their charge, but
 * this answer shows none. An answer that shows a part of its charge is not measured again, since a weighted counter, or
 * a gateway that charges prompts alone, would show the same part again.
 */
const isHidden = ({ sorted }: OpenExamination, { kind }: TokenQuery): boolean => {
  if (kind !== 'answer' && kind !== 'stream-answer') return false;
  const charges = measuredCharges(sorted());
  const isShown = charges.some(
    (each) => (each.kind === 'chat' || each.kind === 'stream') && each.isSteady,
  );
  const found = charges.find((each) => each.kind === kind);
  return isShown && (found?.charge ?? 0) <= 0;
};

/**
 * Measures the charges of the remaining kinds of request. The pauses between the requests are so long that the request
 * limit refuses no request.
 */
export const account = async (examination: OpenExamination): Promise<void> => {
  const { client, plan, tap, pause } = examination;
  const phase = 'accounting';
  const medium = { phase, prompt: plan.visible, maxTokens: 1, isStream: false } as const;
  const stream = { ...medium, isStream: true };
  const share = Math.round(longAnswer.share * plan.rule.tokens);
  const withAnswer = {
    prompt: Math.min(plan.visible, shortPrompt),
    maxTokens: Math.max(longAnswer.least, Math.min(longAnswer.most, share)),
  };
  const queries: readonly TokenQuery[] = [
    { ...stream, kind: 'stream-unreported' },
    { ...medium, kind: 'again', prompt: plan.slice, isRepeated: true },
    { ...medium, kind: 'answer', ...withAnswer },
    { ...stream, kind: 'stream-answer', ...withAnswer },
    { ...medium, kind: 'two-answers' },
    { ...stream, kind: 'cut-answering' },
    { ...stream, kind: 'cut-sent' },
    { ...medium, kind: 'bad-parameter' },
    { ...medium, kind: 'unknown-model' },
    ...(plan.hasOtherModel ? [{ ...medium, kind: 'other-model' } as const] : []),
    ...(plan.hasAudio
      ? (['speech', 'transcription'] as const).map((kind) => ({ ...medium, kind, prompt: 0 }))
      : []),
  ];
  const { requests, window } = plan.rule;
  const gap = requests === null ? 0 : (4 * window) / requests;
  // The last chat of the calibration must be charged before the remaining tokens are first read.
  await pause(settleOf(examination));
  await tap(phase);
  for (const query of queries) {
    const isExact = query.isStream || query.kind === 'again';
    for (let i = 0; i < attempts; i += 1) {
      const begun = client.now();
      await measureKind(examination, query, { isExact, isWatched: false });
      await client.sleepUntil(begun + gap);
      if (!isHidden(examination, query)) break;
    }
  }
};

/**
 * Sends small chats at the same time. Their `max_tokens` add up to more than the limit, so a gateway that reserves
 * `max_tokens` must refuse at least one of them.
 */
export const reserve = async (examination: OpenExamination): Promise<void> => {
  const { plan, send, pause } = examination;
  if (plan.reserving === 0) return;
  await pause(longestWindow(plan.rule.window));
  const maxTokens = Math.ceil((1.02 * plan.rule.tokens) / plan.reserving);
  const query = {
    phase: 'reserve',
    kind: 'cut-answering',
    prompt: tapTokens,
    maxTokens,
    isStream: true,
  } as const;
  await Promise.all(Array.from({ length: plan.reserving }, () => send(query)));
};

import { requestIdHeader, routes } from '../../../../contract/routes.ts';
import { type ProbeReply, reportedLimitOf } from '../../../../model/limits/limit-log.ts';
import { jsonIn } from '../../../../traffic/answer/json-text.ts';
import { readUsage } from '../../../../traffic/answer/read-usage.ts';
import type { TokenReply } from '../../model/token-log.ts';
import { type TokenUnit, tokenUnits } from '../../model/token-units.ts';
import { keysInTurn, limitsOfTeam } from '../keys-in-turn.ts';
import {
  type PreparedProbeRequest,
  probeRequestBuilders,
  type ProbeModels,
} from '../probe-requests.ts';
import {
  fetchResponse,
  type ProbeResponse,
  type ProbeSession,
  replyOf,
} from '../send-probe-request.ts';
import { Cut } from './open-examination.ts';
import { charactersPerWord, textWriter, tokensOfWords } from './prompt-text.ts';
import type { TokenClient, TokenQuery } from './token-client.ts';

const usageOf = (value: unknown): TokenReply['usage'] => {
  const usage = (value as { usage?: unknown } | null | undefined)?.usage ?? null;
  if (usage === null) return null;
  const reading = readUsage({ usage });
  const { input = null, output = null } = reading ?? {};
  const cached = reading?.classes.cached ?? 0;
  if (input === null || output === null) return null;
  return { input, output, ...(cached > 0 ? { cached } : {}) };
};

/** Reads the usage of a whole answer. In a stream, reads the last event with a usage. */
const usageIn = (body: string): TokenReply['usage'] => {
  if (!/^\s*(?:data|event|id|:)/.test(body)) return usageOf(jsonIn(body));
  const events = body
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:') && line.includes('"usage"'))
    .map((line) => usageOf(jsonIn(line.slice('data:'.length))));
  return events.findLast((usage) => usage !== null) ?? null;
};

/** Returns the body fields that only some kinds of request have. */
const fieldsOf = ({ kind, isStream }: TokenQuery, models: ProbeModels) => {
  const stream = isStream
    ? {
        stream: true,
        ...(kind === 'stream-unreported' ? {} : { stream_options: { include_usage: true } }),
      }
    : {};
  const special = {
    'two-answers': { n: 2 },
    'bad-parameter': { temperature: 9 },
    'unknown-model': { model: 'weir/no-such-model' },
    'other-model': { model: models.otherChat },
  } as Readonly<Record<string, object>>;
  return { ...stream, ...special[kind] };
};

const giveUpOf = ({ kind }: TokenQuery): PreparedProbeRequest['giveUp'] =>
  kind === 'cut-sent' ? 'sent' : kind === 'cut-answering' ? 'answering' : null;

const chatOf = (
  query: TokenQuery,
  { content, maxTokens }: Pick<AskedText, 'content' | 'maxTokens'>,
  models: ProbeModels,
): PreparedProbeRequest => {
  const messages = [{ role: 'user', content }];
  const body = {
    model: models.chat,
    messages,
    max_tokens: maxTokens,
    ...fieldsOf(query, models),
  };
  const headers = {
    'content-type': 'application/json',
    accept: query.isStream ? 'text/event-stream' : 'application/json',
  };
  const request = { ...routes.chat, headers, body: Buffer.from(JSON.stringify(body)) };
  return { request, asked: null, giveUp: giveUpOf(query), wrongKey: false };
};

const reportedIn = (
  reply: Pick<ProbeReply, 'told'>,
  units: readonly string[],
): TokenReply['reported'] => {
  const found = units.flatMap((unit) => reportedLimitOf(reply, unit) ?? [])[0];
  return typeof found?.remaining !== 'number'
    ? null
    : { limit: found.limit, remaining: found.remaining };
};

export interface TokenClientOptions {
  readonly session: ProbeSession;
  readonly sleepUntil: (moment: number) => Promise<void>;
  readonly models: ProbeModels;
  readonly credential: string;
  /** Another key of the same team, which takes turns with the first key; absent if the limit of one key is examined. */
  readonly team?: string;
  /** The tokens that the limit counts; by default all tokens. */
  readonly unit?: TokenUnit;
  readonly runId: string;
}

/** The text of a chat, and the number of its tokens as the limit counts them. */
interface AskedText {
  readonly content: string;
  readonly maxTokens: number;
  readonly words: number;
  readonly tokens: number;
}

/**
 * The bounds of the tokens that a gateway may count for a word. Beyond these bounds, the gateway's usage is not the
 * usage of the prompts.
 */
const [leastPerWord, mostPerWord] = [0.4, 4];

/**
 * A prompt with a common beginning ends with this many unique words, so that no gateway has a stored answer to it.
 */
const ownWords = 16;

/**
 * Creates a writer of prompts with a given number of tokens. The writer learns from the first answers how many tokens
 * its words have.
 */
const openWriter = (seed: number) => {
  const write = textWriter(seed);
  const samples: { words: number; tokens: number }[] = [];
  let repeated: string | null = null;
  let common = '';
  /** Writes a text of this many words. The text begins like earlier texts, and ends with unique words. */
  const writeAfterCommon = (count: number): string => {
    const own = Math.min(count, ownWords);
    const length = (count - own) * charactersPerWord;
    if (common.length < length)
      common += `${write(Math.ceil((length - common.length) / charactersPerWord))} `;
    return common.slice(0, length) + write(own);
  };
  return {
    learn: (words: number, tokens: number): void => {
      samples.push({ words, tokens });
    },
    contentFor: (query: TokenQuery): AskedText => {
      const { prompt, isRepeated, hasCommonBeginning, phase, kind, maxTokens } = query;
      const { constant, perWord } = tokensOfWords(samples);
      if (!(perWord >= leastPerWord && perWord <= mostPerWord))
        throw new Cut(
          `usage does not grow with the prompt: ${perWord.toFixed(2)} tokens a word, where ${leastPerWord} to ${mostPerWord} are usual`,
        );
      const count = Math.max(1, Math.round((prompt - constant) / perWord));
      const content =
        isRepeated === true && repeated !== null
          ? repeated
          : hasCommonBeginning === true
            ? writeAfterCommon(count)
            : write(count);
      if (phase === 'calibration' && kind === 'stream') repeated = content;
      const words = (content.length + 1) / charactersPerWord;
      return { content, maxTokens, words, tokens: Math.round(constant + perWord * words) };
    },
    charactersPerToken: (): number | null =>
      samples.length === 0 ? null : charactersPerWord / tokensOfWords(samples).perWord,
  };
};

const noText: AskedText = { content: '', maxTokens: 0, words: 0, tokens: 0 };

/** A question whose answer can be cut at any length. */
const endlessQuestion =
  'Write the whole numbers from one on in English words, one after the other, without end.';

/** A question with an answer of one token. The request reserves more by its `max_tokens`. */
const shortQuestion = 'Say yes.';

/**
 * Creates a writer of questions whose answers have a given number of tokens (`max_tokens`), for a limit that counts
 * answers.
 */
const openAsker = (): ReturnType<typeof openWriter> => {
  let isAnswered = false;
  return {
    learn: () => {
      isAnswered = true;
    },
    contentFor: ({ prompt, maxTokens, phase }) => ({
      // A server may go on answering after a hang-up. An endless answer could then be charged up to a whole limit.
      content: phase === 'reserve' ? shortQuestion : endlessQuestion,
      maxTokens: prompt + maxTokens,
      words: prompt,
      tokens: prompt,
    }),
    charactersPerToken: () => (isAnswered ? charactersPerWord : null),
  };
};

const isAudio = (kind: TokenQuery['kind']): kind is 'speech' | 'transcription' =>
  kind === 'speech' || kind === 'transcription';

/** Returns the tokens of an answer that the limit counts; `null` if the answer reports no usage. */
const usageOfReply = (
  { status, body }: ProbeResponse,
  kind: TokenQuery['kind'],
  counted: (typeof tokenUnits)[TokenUnit]['counted'],
): TokenReply['usage'] => {
  const usage = status === 200 && !isAudio(kind) ? usageIn(body) : null;
  return usage === null ? null : counted(usage);
};

/** Returns the tokens that may have been reserved for an answer and were not used. */
const unusedOf = (
  { maxTokens: asked }: AskedText,
  maxTokens: number,
  usage: TokenReply['usage'],
): number => (usage === null ? maxTokens : Math.max(0, asked - usage.input));

/**
 * Opens a client that sends prompts with a given number of tokens. The client learns from the first answers how to
 * write such prompts.
 */
export const openTokenClient = (options: TokenClientOptions): TokenClient => {
  const { session, models, credential, team, runId, unit = 'tokens' } = options;
  const { clock } = session;
  const { headers: units, counted, isOfAnswers } = tokenUnits[unit];
  const writer = isOfAnswers ? openAsker() : openWriter(Math.floor(session.wallZero) % 2 ** 31);
  const nextKey = keysInTurn(credential, team);
  let serial = 0;
  const fetchOnce = async (
    { request, giveUp }: PreparedProbeRequest,
    requestId: string,
  ): Promise<ProbeResponse> => {
    const headers = { ...session.keyHeader(nextKey()), [requestIdHeader]: requestId };
    const sent = clock.now();
    const response = await fetchResponse(session, request, headers, giveUp);
    if (typeof response !== 'string') return response;
    return { sent, answered: clock.now(), ended: clock.now(), status: 0, headers: {}, body: '' };
  };
  const send = async (query: TokenQuery): Promise<TokenReply> => {
    const { phase, kind, burst = 0, isTap = false, maxTokens } = query;
    serial += 1;
    const requestId = `${runId}-${serial}`;
    const text = isAudio(kind) ? noText : writer.contentFor(query);
    const audio = isAudio(kind) ? probeRequestBuilders[kind](models) : null;
    const response = await fetchOnce(audio ?? chatOf(query, text, models), requestId);
    const about = { requestId, phase: 'counting', request: 'chat', key: 'first' } as const;
    const read = replyOf(session, about, null, response);
    const usage = usageOfReply(response, kind, counted);
    if (usage !== null && kind !== 'other-model') writer.learn(text.words, usage.input);
    return {
      phase,
      kind,
      burst,
      isTap,
      sent: response.sent,
      answered: response.answered,
      ended: response.ended,
      status: read.holdsError === true ? 500 : response.status,
      unit: read.refusal?.unit ?? null,
      prompt: usage?.input ?? text.tokens,
      maxTokens: isOfAnswers ? unusedOf(text, maxTokens, usage) : maxTokens,
      usage,
      reported: reportedIn(team === undefined ? read : limitsOfTeam(read), units),
    };
  };
  return {
    now: () => clock.now(),
    sleepUntil: options.sleepUntil,
    charactersPerToken: writer.charactersPerToken,
    send,
  };
};

import { highestChatCost, isTooLong } from '../../model/workload/price.ts';
import { charactersIn } from '../../model/workload/characters.ts';
import { type Message, textsOfContent } from '../../model/workload/message.ts';
import {
  maxAnswerTokens,
  type Traffic,
  type TrafficKind,
  type TrafficOf,
} from '../../model/workload/traffic.ts';
import { costOfSpeech, tokenCost, costOfTranscript } from '../cost-of-tokens.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { PrepareContext } from '../traffic-handler.ts';
import { drawChatPrompt, mediaTokensIn, spokenText } from './token-demand.ts';

export interface NeedsContext extends Pick<PrepareContext, 'draw' | 'ordinal' | 'ask' | 'clips'> {
  /**
   * The shares of a prompt's tokens that are assumed to be read from a cache and to be written to a cache; if absent,
   * nothing is cached.
   */
  readonly assumed?: { readonly cached: number; readonly written: number } | undefined;
}

/**
 * Divides the tokens of a prompt into classes if parts of the prompt are assumed to be cached. Each class has its own
 * price.
 */
const tokensWith = (input: number, assumed: NeedsContext['assumed']) => {
  if (assumed === undefined) return { input };
  const cached = Math.round(input * assumed.cached);
  return { input, cached, cacheWrite: Math.round(input * assumed.written) };
};

/** The tokens and the cost of one request, as far as known before the request is sent. */
export interface RequestNeeds {
  /**
   * The number of tokens of the prompt's texts, images and recordings. Tokens that the gateway's chat template adds are
   * not included.
   */
  readonly input: number;
  /** Whether the number of input tokens is exact. If false, the number is an estimate. */
  readonly isCounted: boolean;
  /** The maximum number of tokens of the answer; `null` without a maximum. */
  readonly output: number | null;
  /** Whether the request asks for an answer of exactly `output` tokens. */
  readonly isFixed: boolean;
  /**
   * The cost of the request if its answer is as long as possible, in millionths of the currency. `null` if there is no
   * price or no maximum length, or if the length of the audio is unknown. No tokens count as cached, unless the context
   * assumes a share of cached tokens.
   */
  readonly cost: number | null;
  /** Like `cost`, but each token has the highest price that any of its possible classes has. */
  readonly highestCost: number | null;
}

/** The token counts of prompts that were already counted. The prompts in a plan or a file are sent many times. */
const knownCounts = new WeakMap<readonly Message[], number>();

const tokensIn = (messages: readonly Message[]): number => {
  const known = knownCounts.get(messages);
  if (known !== undefined) return known;
  const texts = messages.flatMap(({ content }) => textsOfContent(content));
  const tokens =
    texts.reduce((sum, text) => sum + estimateTokens(text), 0) + mediaTokensIn(messages);
  knownCounts.set(messages, tokens);
  return tokens;
};

/**
 * Returns whether the number of input tokens is exact. A synthetic prompt has exactly the drawn number of tokens,
 * unless the request contains other texts.
 */
const isCounted = ({ conversations, body }: TrafficOf<'chat' | 'chat-stream'>): boolean =>
  !Array.isArray(conversations) &&
  conversations.kind !== 'dataset' &&
  conversations.system === null &&
  body['tools'] === undefined;

const chatNeeds = (
  traffic: TrafficOf<'chat' | 'chat-stream'>,
  context: NeedsContext,
): RequestNeeds => {
  const { messages, maxTokens } = drawChatPrompt(traffic, context);
  const input = tokensIn(messages);
  const output = maxAnswerTokens({ maxTokens, body: traffic.body });
  const { price } = traffic;
  return {
    input,
    isCounted: isCounted(traffic),
    output,
    isFixed: output !== null && traffic.body['ignore_eos'] === true,
    cost:
      output === null
        ? null
        : tokenCost({ ...tokensWith(input, context.assumed), output, source: 'usage' }, price),
    highestCost:
      output === null || price === null || isTooLong(input, price)
        ? null
        : highestChatCost({ input, output }, price),
  };
};

const noTokens = { input: 0, isCounted: true, output: 0, isFixed: true } as const;

const needsWithout = (cost: number | null): RequestNeeds => ({
  ...noTokens,
  cost,
  highestCost: cost,
});

const needsByKind: {
  readonly [K in TrafficKind]: (traffic: TrafficOf<K>, context: NeedsContext) => RequestNeeds;
} = {
  chat: chatNeeds,
  'chat-stream': chatNeeds,
  // The length of the audio is unknown until the answer has come.
  speech: (traffic, context) =>
    needsWithout(
      costOfSpeech(traffic.price, {
        characters: charactersIn(spokenText(traffic, context)),
        seconds: null,
      }),
    ),
  transcription: ({ clips: sources, price }, { draw, clips }) => {
    const { seconds } = draw.pick(sources.flatMap((source) => clips.clipsOf(source)));
    return needsWithout(costOfTranscript(price, seconds));
  },
  models: () => needsWithout(0),
};

/** Returns the tokens and the cost of a request. Makes the same random draws as the preparation of the request. */
export const requestNeedsOf = (traffic: Traffic, context: NeedsContext): RequestNeeds => {
  // The type of the table guarantees that the row fits the kind of `traffic`, but the compiler cannot infer this.
  const row = needsByKind[traffic.kind] as (of: Traffic, context: NeedsContext) => RequestNeeds;
  return row(traffic, context);
};

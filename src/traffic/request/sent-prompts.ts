import { type Message, type MessageContent, textsOfContent } from '../../model/workload/message.ts';
import {
  type ChatContent,
  leastSharedCharacters,
  type SharedText,
} from '../../model/workload/workload.ts';
import type { TokenCounts } from '../../model/observation/outcome.ts';
import type { TrafficOf } from '../../model/workload/traffic.ts';
import type { TargetMemory } from '../traffic-handler.ts';
import { estimateTokens } from './estimate-tokens.ts';
import type { FirstAnswer } from './same-prompts.ts';
import { mediaTokensIn } from './token-demand.ts';

/**
 * This file remembers the texts with which the requests of a slice began. From these texts, Weir computes how much of
 * each prompt a cache can contain. A prepared request counts as an earlier request, even if the request is not yet
 * sent.
 */

/**
 * A beginning of a prompt that was sent. `tokens` is an estimate. If the beginning was a whole prompt, `input` is the
 * number of tokens that the server counted.
 */
interface Beginning {
  tokens: number;
  input: number | null;
}

/** A conversation up to one message. `next` has the messages that followed this message. */
interface MessageNode extends Beginning {
  readonly next: Map<MessageContent, MessageNode>;
}

/** A prompt that is being sent, and how much of the prompt was also in an earlier request. */
export interface SentPrompt {
  /**
   * Returns how many tokens of the prompt were also in an earlier request, if the server counted `input` tokens in the
   * whole prompt. Remembers `input` for later requests.
   */
  repeatedOf(input: number): number;
}

/**
 * The maximum number of beginnings of generated prompts that are remembered for a model. If a model has more
 * beginnings, the oldest ones are forgotten.
 */
const maxNames = 100_000;

const tokensIn = (message: Message): number =>
  textsOfContent(message.content).reduce((sum, text) => sum + estimateTokens(text), 0) +
  mediaTokensIn([message]);

const emptyNode = (tokens: number): MessageNode => ({ tokens, input: null, next: new Map() });

/**
 * Returns the number of tokens that a cache can contain. The last token of a prompt is always computed, because the
 * first token of the answer depends on this computation.
 */
const cacheable = (tokens: number, input: number): number =>
  Math.max(0, Math.min(tokens, input - 1));

class SentPrompts {
  readonly #root = emptyNode(0);
  readonly #systems = new Set<MessageContent>();
  readonly #named = new Map<string, Beginning>();

  /**
   * Adds a prompt whose texts are in the plan or in a file. The workload already stores these texts, so only references
   * are stored here.
   */
  addMessages(messages: readonly Message[]): SentPrompt {
    let node = this.#root;
    let found: Beginning | null = null;
    for (const message of messages) {
      const known = node.next.get(message.content);
      if (known !== undefined) found = known;
      const next = known ?? emptyNode(node.tokens + tokensIn(message));
      if (known === undefined) node.next.set(message.content, next);
      node = next;
    }
    const own = node;
    return {
      repeatedOf: (input) => {
        const share = (found?.tokens ?? 0) / Math.max(1, own.tokens);
        const repeated = found?.input ?? Math.round(share * input);
        own.input ??= input;
        return cacheable(found === own ? input : repeated, input);
      },
    };
  }

  /** Adds a generated prompt, which may follow a system message. Each word of a generated prompt is a token. */
  addShared(messages: readonly Message[], { beginnings, isWhole, tokens }: SharedText): SentPrompt {
    const [first] = messages;
    let repeated = first?.role === 'system' && this.#isKnownSystem(first) ? 0 : null;
    let found: Beginning | null = null;
    let own: Beginning | null = null;
    for (const each of beginnings) {
      const known = this.#named.get(each.name);
      if (known === undefined) {
        own = { tokens: each.tokens, input: null };
        this.#named.set(each.name, own);
      } else {
        repeated = Math.min(known.tokens, each.tokens);
        known.tokens = Math.max(known.tokens, each.tokens);
        own = known;
        found = known;
      }
    }
    this.#forget();
    const whole = isWhole ? own : null;
    return {
      repeatedOf: (input) => {
        // Tokens that are not words of the prompt belong to the system message and to the chat template. Both may come
        // before the prompt.
        const others = Math.max(0, input - tokens);
        const estimate = repeated === null ? 0 : repeated + others;
        const sent = (isWhole ? found?.input : null) ?? estimate;
        if (whole !== null) whole.input ??= input;
        return cacheable(sent, input);
      },
    };
  }

  #isKnownSystem({ content }: Message): boolean {
    const known = this.#systems.has(content);
    this.#systems.add(content);
    return known;
  }

  #forget(): void {
    for (const name of this.#named.keys()) {
      if (this.#named.size <= maxNames) return;
      this.#named.delete(name);
    }
  }
}

/** The prompts that were sent to each model. */
const sentTo = new WeakMap<TargetMemory, Map<string, SentPrompts>>();

const promptsOf = (memory: TargetMemory, model: string): SentPrompts => {
  const byModel = sentTo.get(memory) ?? new Map<string, SentPrompts>();
  sentTo.set(memory, byModel);
  const known = byModel.get(model) ?? new SentPrompts();
  byModel.set(model, known);
  return known;
};

/**
 * Remembers a prompt of `characters` characters that is about to be sent. Returns `undefined` for a short prompt from
 * the plan or a file, and for a generated prompt without a shared beginning.
 */
export const rememberPrompt = (
  memory: TargetMemory,
  { model, conversations }: TrafficOf<'chat' | 'chat-stream'>,
  { messages, shared }: Pick<ChatContent, 'messages' | 'shared'>,
  characters: number,
): SentPrompt | undefined => {
  if (shared !== undefined) return promptsOf(memory, model).addShared(messages, shared);
  const isWritten = Array.isArray(conversations) || conversations.kind === 'dataset';
  if (characters < leastSharedCharacters || !isWritten) return undefined;
  return promptsOf(memory, model).addMessages(messages);
};

export interface PromptFacts {
  /** The number of tokens with which the prompt was generated; `undefined` for a prompt that was not generated. */
  readonly asked: number | undefined;
  readonly sent: SentPrompt | undefined;
  /** The first answer to the same prompt; `undefined` if it is unknown which prompts are equal. */
  readonly first: FirstAnswer | undefined;
}

/**
 * Adds the facts about the prompt to the token counts of a new answer. The input tokens of the first answer to the same
 * prompt are added for comparison, unless `isBeyondText` is true. In that case, some tokens may come from tools or
 * images.
 */
export const withPrompt = (
  tokens: TokenCounts,
  { asked, sent, first }: PromptFacts,
  isBeyondText = false,
): TokenCounts => {
  const { input } = tokens;
  // The object is changed in place, because a copy would take as long as all other work on the counts.
  if (asked !== undefined) tokens.asked = asked;
  if (input === null) return tokens;
  if (sent !== undefined) tokens.repeated = sent.repeatedOf(input);
  if (isBeyondText) return tokens;
  if (first?.input !== undefined) tokens.before = first.input;
  else if (first !== undefined) first.input = input;
  return tokens;
};

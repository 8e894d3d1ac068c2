import type { NamedLimit } from '../../../model/observation/outcome.ts';
import type { TokenUnit } from './token-units.ts';

/** The phases of an examination of a limit of tokens, in order. */
export const tokenPhases = {
  calibration: 'how many tokens a text has, how long an answer takes, and who else uses the key',
  accounting: 'what is charged for fourteen kinds of requests',
  reserve: 'whether max_tokens is reserved',
  even: 'whether an even pace below the limit is always admitted',
  burst: 'more tokens than the limit at once, and small chats when they are charged',
  recovery: 'whether the key is admitted after two idle windows',
  sustained: 'a load that always asks for more than the limit',
} as const satisfies Record<string, string>;
export type TokenPhase = keyof typeof tokenPhases;

export const tokenKinds = {
  chat: 'a chat',
  stream: 'a streamed chat',
  'stream-unreported': 'a streamed chat that does not ask for its usage',
  again: 'the same long prompt again',
  answer: 'a chat with a longer answer',
  'stream-answer': 'a streamed chat with a longer answer',
  'two-answers': 'a chat with n: 2',
  'cut-answering': 'a streamed chat, cut at its first bytes',
  'cut-sent': 'a streamed chat, cut when it is sent',
  'bad-parameter': 'a chat with a temperature of 9 (400)',
  'unknown-model': 'a chat with a model that does not exist (404)',
  'other-model': 'a chat with another model',
  speech: 'speech of one word',
  transcription: 'the transcription of a tenth of a second',
} as const satisfies Record<string, string>;
export type TokenKind = keyof typeof tokenKinds;

/** A request of an examination of tokens, and its answer. Instants are in ms. */
export interface TokenReply {
  readonly phase: TokenPhase;
  readonly kind: TokenKind;
  /** The number of the request's burst, from 1; 0 outside bursts. */
  readonly burst: number;
  /** Whether the request is a small chat, which shows the state of the limit and hardly uses it. */
  readonly isTap: boolean;
  /** The instant at which the first byte of the request was written. */
  readonly sent: number;
  /** The instant at which the first byte of the answer came. */
  readonly answered: number;
  readonly ended: number;
  /** The status of the answer; 0 if no answer came. */
  readonly status: number;
  /** The limit that a 429 names. */
  readonly unit: NamedLimit | null;
  /** The tokens of the prompt, estimated from the usage of earlier, similar texts. */
  readonly prompt: number;
  readonly maxTokens: number;
  readonly usage: {
    readonly input: number;
    readonly output: number;
    /** The input tokens from a cache; absent if no tokens came from a cache. */
    readonly cached?: number;
  } | null;
  /**
   * The limit of tokens and the remaining tokens in the headers; `null` if the headers do not report the remaining
   * tokens.
   */
  readonly reported: { readonly limit: number | null; readonly remaining: number } | null;
}

/** The declared limits of a key for one window, in ms. */
export interface TokenRule {
  readonly tokens: number;
  /** The limit of requests; `null` if no limit of requests is declared. */
  readonly requests: number | null;
  readonly window: number;
}

/** The requests and replies of an examination of a key's limit of tokens, in the order of sending. */
export interface TokenLog {
  readonly rule: TokenRule;
  /**
   * The unit that the limit counts. Usage, prompts and remaining amounts have the same unit. Absent if the limit counts
   * all tokens.
   */
  readonly unit?: TokenUnit;
  /** Whether the limit belongs to a team, whose keys took turns; absent if the limit belongs to a key. */
  readonly isTeam?: true;
  readonly replies: readonly TokenReply[];
  /**
   * The characters per token of the sent texts, computed from reported usage; `null` if no answer reports its usage.
   */
  readonly charactersPerToken: number | null;
  /** Whether only the bursts and the recovery were examined. */
  readonly isQuick: boolean;
  /** The largest context of the model in tokens; `null` if the context is unknown. */
  readonly context: number | null;
  /** The reason why the examination stopped early; `null` if the examination is complete. */
  readonly cut: string | null;
}

export const usedTokens = ({ usage }: TokenReply): number | null =>
  usage === null ? null : usage.input + usage.output;

export const isAdmitted = ({ status }: TokenReply): boolean => status >= 200 && status < 300;

/** Returns whether a refusal names tokens, or no limit at all. */
export const mayBeForTokens = ({ unit }: TokenReply): boolean => unit === null || unit === 'tokens';

export const isRefused = ({ status }: TokenReply): boolean => status === 429;

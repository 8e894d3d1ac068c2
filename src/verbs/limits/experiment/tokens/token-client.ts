import type { TokenKind, TokenPhase, TokenReply } from '../../model/token-log.ts';

export interface TokenQuery {
  readonly phase: TokenPhase;
  readonly kind: TokenKind;
  readonly burst?: number;
  readonly isTap?: boolean;
  /** The tokens that the prompt should have; 0 for a request without a prompt. */
  readonly prompt: number;
  readonly maxTokens: number;
  readonly isStream: boolean;
  /** Whether the prompt begins like the one before, so a cache can hold it. */
  readonly isRepeated?: boolean;
  /** Whether all but the end of the prompt equals others, so a cache can hold it. */
  readonly hasCommonBeginning?: boolean;
}

/** Sends the requests of an examination. Instants are in ms. */
export interface TokenClient {
  now(): number;
  sleepUntil(moment: number): Promise<void>;
  /** Resolves with the reply. Its status is 0 if there was no answer. */
  send(query: TokenQuery): Promise<TokenReply>;
  /** The characters per token by the usage so far; `null` if no answer reported its usage. */
  charactersPerToken(): number | null;
}

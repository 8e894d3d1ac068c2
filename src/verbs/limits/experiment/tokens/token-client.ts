import type { TokenKind, TokenPhase, TokenReply } from '../../model/token-log.ts';

export interface TokenQuery {
  readonly phase: TokenPhase;
  readonly kind: TokenKind;
  readonly burst?: number;
  readonly isTap?: boolean;
  /** The tokens that the prompt should have; 0 for what has none. */
  readonly prompt: number;
  readonly maxTokens: number;
  readonly isStream: boolean;
  /** Whether the prompt begins as the one before, so that a cache can hold it. */
  readonly isRepeated?: boolean;
  /** Whether all but the end of the prompt begins as others, so that a cache can hold it. */
  readonly hasCommonBeginning?: boolean;
}

/** Sends the requests of an examination. Instants are in ms. */
export interface TokenClient {
  now(): number;
  sleepUntil(moment: number): Promise<void>;
  /** Resolves to the reply, with status 0 if there was no answer. */
  send(query: TokenQuery): Promise<TokenReply>;
  /** The characters of a token by the usage so far; `null` if no answer reported it. */
  charactersPerToken(): number | null;
}

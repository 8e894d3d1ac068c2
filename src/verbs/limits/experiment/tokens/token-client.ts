import type { TokenKind, TokenPhase, TokenReply } from '../../model/token-log.ts';

export interface TokenQuery {
  readonly phase: TokenPhase;
  readonly kind: TokenKind;
  readonly burst?: number;
  readonly isTap?: boolean;
  /** The tokens that the prompt should have; 0 if the request has no prompt. */
  readonly prompt: number;
  readonly maxTokens: number;
  readonly isStream: boolean;
  /** Whether to send the prompt of the calibration's stream again, which a cache can hold by now. */
  readonly isRepeated?: boolean;
  /** Whether the prompt differs from other prompts only at its end, so that a cache can hold the rest. */
  readonly hasCommonBeginning?: boolean;
}

/** Sends the requests of an examination. Instants are in ms. */
export interface TokenClient {
  now(): number;
  sleepUntil(moment: number): Promise<void>;
  /** Resolves with the reply. If no answer comes, the status of the reply is 0. */
  send(query: TokenQuery): Promise<TokenReply>;
  /** The characters per token by the usage so far; `null` if no answer reported its usage. */
  charactersPerToken(): number | null;
}

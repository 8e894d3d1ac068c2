import type { TokenLog, TokenReply } from '../../model/token-log.ts';

/** Returns the reply to a chat that was sent at so many ms and took 100 ms; the fields of `changes` replace its own. */
export const tokenReply = (sent: number, changes: Partial<TokenReply> = {}): TokenReply => ({
  phase: 'calibration',
  kind: 'chat',
  burst: 0,
  isTap: false,
  sent,
  answered: sent + 100,
  ended: sent + 100,
  status: 200,
  unit: null,
  prompt: 1000,
  maxTokens: 1,
  usage: { input: 1000, output: 1 },
  reported: null,
  ...changes,
});

/** Returns a small chat that looks at what remains of a limit of 20,000 tokens; `null` for no header. */
export const tapReply = (
  sent: number,
  remaining: number | null,
  changes: Partial<TokenReply> = {},
): TokenReply =>
  tokenReply(sent, {
    isTap: true,
    prompt: 19,
    usage: { input: 19, output: 1 },
    reported: remaining === null ? null : { limit: 20_000, remaining },
    ...changes,
  });

export const refusedReply = (sent: number, changes: Partial<TokenReply> = {}): TokenReply =>
  tokenReply(sent, { status: 429, unit: 'tokens', usage: null, ...changes });

export const tokenLog = (
  replies: readonly TokenReply[],
  changes: Partial<TokenLog> = {},
): TokenLog => ({
  rule: { tokens: 20_000, requests: 60, window: 60_000 },
  replies,
  charactersPerToken: 4,
  isQuick: false,
  context: null,
  cut: null,
  ...changes,
});

import type { Usage } from '../../contract/chat.ts';

/** No answer has more tokens: a higher count is an error of the server and would spoil every sum. */
const maxPlausibleTokens = 1_000_000_000;

/** Whether a server's counts are plausible. */
export const isPlausibleUsage = ({ prompt_tokens, completion_tokens }: Usage): boolean =>
  prompt_tokens <= maxPlausibleTokens && completion_tokens <= maxPlausibleTokens;

import type { Usage } from '../../contract/chat.ts';

/** No answer has as many tokens: a higher count is a fault of the server's, and would spoil every sum. */
const maxPlausibleTokens = 1_000_000_000;

/** Whether the counts of a server can be meant. */
export const isPlausibleUsage = ({ prompt_tokens, completion_tokens }: Usage): boolean =>
  prompt_tokens <= maxPlausibleTokens && completion_tokens <= maxPlausibleTokens;

import type { ChatStreamAnswer } from '../../model/observation/outcome.ts';

/**
 * Returns the answer of a stream that broke off or that the client left. Some servers send usage before every choice
 * has ended, for example vLLM in each chunk and Anthropic in the first chunk. Such usage does not count the whole
 * answer, since the server may continue. In this case, the output tokens are the tokens that were received, and the
 * cost is unknown.
 */
export const unfinishedAnswer = (
  answer: ChatStreamAnswer,
  reasons: readonly (string | null)[],
): ChatStreamAnswer => {
  const { tokens, tokenInstants } = answer;
  const hasEnded = reasons.length > 0 && !reasons.includes(null);
  if (hasEnded || tokens.source !== 'usage') return answer;
  const output = Math.max(tokens.output, tokenInstants.length);
  return { ...answer, tokens: { ...tokens, output, source: 'events' }, cost: null };
};

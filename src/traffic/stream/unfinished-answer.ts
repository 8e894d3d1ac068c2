import type { ChatStreamAnswer } from '../../model/observation/outcome.ts';

/**
 * Returns the answer of a stream that broke off or on which the client hung up. Some servers send usage before every
 * choice has ended, for example vLLM in each chunk and Anthropic in the first chunk. An early usage does not count the
 * whole answer, because the server may continue. If a choice had not ended, the number of output tokens is therefore
 * the larger of the reported count and the number of token events, and the cost is unknown.
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

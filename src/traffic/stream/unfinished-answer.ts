import type { ChatStreamAnswer } from '../../model/observation/outcome.ts';

/**
 * Returns the answer of a stream that broke off or that the client left. Usage that came before every choice had ended,
 * as in each chunk of vLLM or in Anthropic's first one, is not that of the whole answer, since the server may continue.
 * So the output tokens are those that came, and the cost is unknown.
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

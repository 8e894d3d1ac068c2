import type { ChatStreamAnswer } from '../../model/observation/outcome.ts';

/**
 * Returns the answer of a stream that broke off or was left. Usage that came before every choice had ended, as in each
 * chunk of vLLM or in the first one of Anthropic's, is not what the whole answer will have had: its server may go on. So
 * its output tokens are those that came, and its cost is unknown.
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

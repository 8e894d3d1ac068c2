import type { ChatStreamAnswer, Outcome } from '../model/observation/outcome.ts';

/** The stream that was received, complete or in part; `null` for none. */
export const streamOf = (outcome: Outcome): ChatStreamAnswer | null => {
  let answer = null;
  if (outcome.kind === 'completed') answer = outcome.answer;
  else if (outcome.kind === 'malformed' || outcome.kind === 'broken') answer = outcome.partial;
  return answer?.kind === 'chat-stream' ? answer : null;
};

import type { Trace, TraceFacts } from '../model/trace.ts';

const minute = 60_000;

/** The most requests, and the most tokens, that are due within any minute, wherever it begins. */
export const busiestMinute = (trace: Trace): TraceFacts['busiestMinute'] => {
  const most = { requests: 0, tokens: 0 };
  let first = 0;
  let tokens = 0;
  for (let last = 0; last < trace.count; last += 1) {
    tokens += trace.inputTokens(last) + trace.outputTokens(last);
    for (; trace.dueAt(last) - trace.dueAt(first) >= minute; first += 1) {
      tokens -= trace.inputTokens(first) + trace.outputTokens(first);
    }
    most.requests = Math.max(most.requests, last - first + 1);
    most.tokens = Math.max(most.tokens, tokens);
  }
  return most;
};

import type { LimitLog } from '../../../model/limits/limit-log.ts';
import type {
  LimiterExplanation,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import {
  identifyLimiter,
  type LimiterTerms,
  distinguishLimiters,
} from '../limiter/identify-limiter.ts';
import { serverWindow } from '../limiter/server-window.ts';
import { decisionsToReplay } from './limiter-decisions.ts';

const termsOf = ({ declared: { requests }, replies, listed }: LimitLog): LimiterTerms => ({
  declared: requests,
  minute: serverWindow(replies, requests.window),
  earlier: listed === undefined ? null : { ...listed, ended: listed.answered, admitted: true },
});

/** Which limiter is behind the first key of an examination. */
export const nameLimiter = (log: LimitLog): LimiterIdentification =>
  identifyLimiter(decisionsToReplay(log), termsOf(log));

/** The decisions that distinguish the limiter that a log names from the best one that is not as good. */
export const explainLimiter = (
  log: LimitLog,
  { best, ties, ranking }: LimiterIdentification,
): LimiterExplanation => {
  const isRival = ({ limiter }: (typeof ranking)[number]): boolean =>
    [best, ...ties].every((fit) => fit?.limiter !== limiter);
  const rival = best === null ? null : (ranking.find(isRival) ?? null);
  if (best === null || rival === null) return { rival: null, distinguishing: [] };
  const decisions = decisionsToReplay(log);
  const classes = [best.limiter, rival.limiter] as const;
  const found = distinguishLimiters(decisions, termsOf(log), classes);
  const distinguishing = found.map(({ index, observed, predicted: [named, other] }) => {
    const { requestId, phase, sent, answered } = decisions[index]!;
    return { requestId, phase, sent, answered, observed, named, rival: other };
  });
  return { rival, distinguishing: distinguishing.toSorted((a, b) => a.sent - b.sent) };
};

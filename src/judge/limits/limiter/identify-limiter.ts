import type { LimiterDecision } from '../../../model/limits/limit-log.ts';
import type { LimiterIdentification, LimiterFit } from '../../../model/limits/limit-report.ts';
import type { ReplayContext } from './limiter-candidates.ts';
import { explainDecisions } from './explain-decisions.ts';

/** Maximum share of wrong predictions of a limiter that fits. */
const tolerance = 0.02;

export const isFit = (
  { wrong }: LimiterFit,
  { tolerated }: Pick<LimiterIdentification, 'tolerated'>,
): boolean => wrong <= tolerated;

/** Identifies the limiter behind a log of decisions, best provoked by a probe. */
export const identifyLimiter = (
  log: readonly LimiterDecision[],
  context: ReplayContext,
): LimiterIdentification => {
  const ranking = explainDecisions(log, context);
  const tolerated = Math.floor(log.length * tolerance);
  const [first = null, second = null] = ranking;
  const isSeen = log.some(({ admitted }) => !admitted) || first?.limiter === 'leaky-queue';
  const best = isSeen && first !== null && isFit(first, { tolerated }) ? first : null;
  const runnerUp = best === null ? first : second;
  return { best, runnerUp, decisions: log.length, tolerated, ranking };
};

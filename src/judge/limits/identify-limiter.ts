import type { Decision } from '../../model/limit-log.ts';
import type { Identification, LimiterFit } from '../../model/limit-report.ts';
import type { Knowledge } from './candidates.ts';
import { explainLog } from './explain-log.ts';

/** A limiter fits while no more than this share of its predictions are wrong. */
const tolerance = 0.02;

/** Whether a limiter explains what was decided. */
export const isFit = (
  { wrong }: LimiterFit,
  { tolerated }: Pick<Identification, 'tolerated'>,
): boolean => wrong <= tolerated;

/** Names the limiter behind a log of decisions that were provoked for the purpose (`probe/`). */
export const identifyLimiter = (log: readonly Decision[], known: Knowledge): Identification => {
  const ranking = explainLog(log, known);
  const tolerated = Math.floor(log.length * tolerance);
  const [first = null, second = null] = ranking;
  const isSeen = log.some(({ admitted }) => !admitted) || first?.limiter === 'leaky-queue';
  const best = isSeen && first !== null && isFit(first, { tolerated }) ? first : null;
  const runnerUp = best === null ? first : second;
  return { best, runnerUp, decisions: log.length, tolerated, ranking };
};

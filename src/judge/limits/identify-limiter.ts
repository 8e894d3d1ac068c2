import type { Decision } from '../../model/limit-log.ts';
import type { Knowledge } from './candidates.ts';
import { type Explanation, explainLog } from './explain-log.ts';

/** Which limiter made the decisions of a log. */
export interface Identification {
  /** The limiter that explains the log best; `null` when none fits. */
  readonly best: Explanation | null;
  /** The best of the other classes. */
  readonly runnerUp: Explanation | null;
  /** Wrong predictions of the best limiter that would still have been called a fit. */
  readonly tolerated: number;
  /** All classes, the best first. */
  readonly ranking: readonly Explanation[];
}

/** A limiter fits while no more than this share of its predictions are wrong. */
const tolerance = 0.02;

/** Names the limiter behind a log of decisions that were provoked for the purpose (`probe/`). */
export const identifyLimiter = (log: readonly Decision[], known: Knowledge): Identification => {
  const ranking = explainLog(log, known);
  const tolerated = Math.floor(log.length * tolerance);
  const [first = null, second = null] = ranking;
  const isSeen = log.some(({ admitted }) => !admitted) || first?.limiter === 'leaky-queue';
  const best = isSeen && first !== null && first.wrong <= tolerated ? first : null;
  return { best, runnerUp: best === null ? first : second, tolerated, ranking };
};

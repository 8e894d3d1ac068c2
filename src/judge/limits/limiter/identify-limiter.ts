import {
  type LimiterClass,
  type LimiterDecision,
  limiterClassNames,
  type LimitRule,
} from '../../../model/limits/limit-log.ts';
import type {
  Fitted,
  LimiterAction,
  LimiterFit,
  LimiterIdentification,
} from '../../../model/limits/limiter-fit.ts';
import { isDelayed } from './answer-delays.ts';
import { areStaysSeen, type ReplayContext } from './limiter-candidates.ts';
import {
  actionAt,
  replayClass,
  type ReplayedFit,
  replayEvidence,
  type ReplayEvidence,
} from './replay-class.ts';

/**
 * This folder finds the algorithm behind a rate limit from a log of its decisions. These are its terms:
 * - A class is a kind of limiter, such as `token-bucket`. A candidate is one limiter of a class, with all its
 *   parameters.
 * - Replaying a limiter means computing its decision on each request of the log.
 * - A limiter contradicts a decision if the limiter decides otherwise at every tried moment between sending and answer.
 *   If not, the limiter explains the decision.
 * - A history is a possible order of events inside the gateway. A log can have several histories.
 * - The phase of windows is the instant at which a window begins, in ms.
 */

/** Returns the best limiter of each class, the best class first. */
const explainDecisions = (evidence: ReplayEvidence): readonly ReplayedFit[] => {
  // Windows that follow the clock are tried only if the server's clock is known. Without this clock, no evidence
  // supports such windows.
  const isTried = (name: LimiterClass): boolean =>
    name !== 'fixed-aligned' || evidence.context.clock !== null;
  const ranking = limiterClassNames
    .filter(isTried)
    .flatMap((name) => replayClass(name, evidence) ?? []);
  // If limiters contradict equally many decisions, a cap on requests in flight comes last. Serial requests hardly
  // overlap, so a cap explains serial requests by chance.
  const isCap = ({ limiter }: ReplayedFit): number => Number(limiter === 'in-flight');
  return ranking.toSorted(
    (a, b) =>
      a.contradicted.size - b.contradicted.size || isCap(a) - isCap(b) || a.unlikely - b.unlikely,
  );
};

/**
 * An identified limiter may contradict at most this share of the decisions. Another class ties with the identified
 * limiter if the number of decisions that it contradicts is higher by at most this share of all decisions.
 */
const tolerance = 0.005;
/**
 * An identified queue may contradict at most this share of the decisions. The share is larger than `tolerance`, since
 * each pause of a machine delays some answers.
 */
const queueTolerance = 0.02;
/** Another class must contradict at least this many times as many decisions as the identified class. */
const minContrast = 10;
/** A class still ties with the best class if it contradicts at most this many more decisions than the best class. */
const maxTieGap = 2;

/**
 * A bucket is nearly full if its burst is at most this many requests below the limit. Rounding or earlier requests
 * explain such a difference.
 */
const nearlyFullGap = 2;
/** A bucket is also nearly full if its burst is below the limit by at most this share of the limit. */
const nearlyFullShare = 0.01;

/**
 * A bucket may have counted failed chats. So the burst of a nearly full bucket may also be below the limit by the
 * number of failed chats, but at most by this share of the limit.
 */
const mostFailedShare = 0.1;

const isNearlyFull = (
  { limiter, limit: { value: limit }, parameters: { burst } }: LimiterFit,
  failed: number,
): boolean =>
  limiter === 'burst-bucket' &&
  burst !== undefined &&
  burst.value >=
    limit -
      Math.max(nearlyFullGap, nearlyFullShare * limit, Math.min(failed, mostFailedShare * limit));

/**
 * Returns whether windows that seem to have a fixed phase may in fact begin with a request. This is possible if the
 * limiter whose windows begin with a request has fewer than ten times the contradictions of the limiter whose windows
 * have a fixed phase. If the latter has no contradiction, it counts as having one.
 */
const isPhaseDoubtful = (best: LimiterFit, rival: LimiterFit): boolean =>
  best.limiter === 'fixed-any-phase' &&
  rival.limiter === 'fixed-from-first' &&
  rival.wrong < minContrast * Math.max(1, best.wrong);

const exactFit = (value: number): Fitted => ({ value, least: value, most: value });

const toFit = (
  { limiter, limit, contradicted, phase, burst, steps }: ReplayedFit,
  window: number,
): LimiterFit => ({
  limiter,
  limit: exactFit(limit),
  window: exactFit(window),
  parameters: Object.fromEntries(
    Object.entries({ phase, burst, steps }).flatMap(([name, value]) =>
      value === null ? [] : [[name, exactFit(value)]],
    ),
  ),
  wrong: contradicted.size,
});

export interface LimiterTerms {
  readonly declared: LimitRule;
  readonly clock: ReplayContext['clock'];
  readonly besides: ReplayContext['besides'];
  /** The number of failed chats, which the limiter may have counted. */
  readonly failed?: number;
}

/**
 * Returns whether the report may name the best class as the limiter. The best class must explain nearly all decisions,
 * and far more decisions than the next class. The log must also show the behaviour that is typical of the class.
 */
const isNameable = (
  first: LimiterFit,
  second: LimiterFit | null,
  log: readonly LimiterDecision[],
  declared: LimitRule,
): boolean => {
  const isQueue = first.limiter === 'leaky-queue';
  const isFit =
    first.wrong <= (isQueue ? queueTolerance : tolerance) * log.length &&
    (second === null || second.wrong >= minContrast * first.wrong);
  if (!isFit || isQueue) return isFit;
  const isSeen = log.some(({ admitted }) => !admitted) && !isDelayed(log, declared);
  return isSeen && (first.limiter !== 'in-flight' || areStaysSeen(log));
};

/**
 * Returns the best limiter. If the best limiter is a nearly full bucket, and a full bucket among its ties contradicts
 * at most 1 % of the decisions, returns the full bucket instead.
 */
const simplestOf = (
  [best, ...ties]: readonly LimiterFit[],
  decisions: number,
  failed: number,
): LimiterFit => {
  const isFull = ({ limiter, wrong }: LimiterFit): boolean =>
    limiter === 'token-bucket' && wrong <= nearlyFullShare * decisions;
  return (isNearlyFull(best!, failed) ? ties.find(isFull) : undefined) ?? best!;
};

/**
 * Identifies the limiter that made the decisions of a log, under the assumption that the limiter enforces the declared
 * limit.
 */
export const identifyLimiter = (
  log: readonly LimiterDecision[],
  { declared, failed = 0, ...known }: LimiterTerms,
): LimiterIdentification => {
  const found = explainDecisions(replayEvidence(log, { ...declared, ...known }));
  const ranking = found.map((fit) => toFit(fit, declared.window));
  const [first = null, second = null] = ranking;
  const terms = { decisions: log.length, ranking, likelier: [] };
  if (first === null || !isNameable(first, second, log, declared)) {
    return { ...terms, best: null, ties: [], runnerUp: first };
  }
  const fewMore = Math.max(maxTieGap, Math.floor(tolerance * log.length));
  const isTied = (fit: LimiterFit): boolean =>
    fit === first ||
    fit.wrong <= first.wrong + fewMore ||
    isPhaseDoubtful(first, fit) ||
    (fit.limiter === 'token-bucket' && isNearlyFull(first, failed));
  const explaining = ranking.filter(isTied);
  const best = simplestOf(explaining, log.length, failed);
  const others = (fits: readonly LimiterFit[]) => fits.filter((fit) => fit !== best);
  return { ...terms, best, ties: others(explaining), runnerUp: others(ranking)[0] ?? null };
};

/** A decision that exactly one of two limiters contradicts. */
export interface PredictedDecision {
  readonly index: number;
  readonly observed: LimiterAction;
  readonly predicted: readonly [LimiterAction, LimiterAction];
}

/**
 * Returns the decisions that distinguish the best limiters of two classes. `null` stands for a limiter that explains
 * all decisions.
 */
export const distinguishLimiters = (
  log: readonly LimiterDecision[],
  { declared, ...known }: LimiterTerms,
  classes: readonly [LimiterClass | null, LimiterClass],
): readonly PredictedDecision[] => {
  const evidence = replayEvidence(log, { ...declared, ...known });
  const [one, other] = classes.map((name) =>
    name === null ? new Map<number, LimiterAction>() : replayClass(name, evidence)?.contradicted,
  );
  if (one === undefined || other === undefined) return [];
  return [...log.keys()].flatMap((index) => {
    if (one.has(index) === other.has(index)) return [];
    const observed = actionAt(evidence, index);
    return [
      { index, observed, predicted: [one.get(index) ?? observed, other.get(index) ?? observed] },
    ];
  });
};

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
import { areStaysSeen } from './in-flight-caps.ts';
import type { ReplayContext } from './limiter-candidates.ts';
import {
  actionAt,
  replayClass,
  type ReplayedFit,
  replayEvidence,
  type ReplayEvidence,
} from './replay-class.ts';

/** The best limiter of each class, the best class first. */
const explainDecisions = (evidence: ReplayEvidence): readonly ReplayedFit[] => {
  // Without the server's clock regular times are not known to be those of it.
  const isTried = (name: LimiterClass): boolean =>
    name !== 'fixed-aligned' || evidence.context.clock !== null;
  const ranking = limiterClassNames
    .filter(isTried)
    .flatMap((name) => replayClass(name, evidence) ?? []);
  // A cap that explains no more than a limiter of rates only mimics it: serial requests hardly overlap.
  const isCap = ({ limiter }: ReplayedFit): number => Number(limiter === 'in-flight');
  return ranking.toSorted(
    (a, b) =>
      a.contradicted.size - b.contradicted.size || isCap(a) - isCap(b) || a.unlikely - b.unlikely,
  );
};

/** Maximum share of wrong predictions of a limiter that is named, of a queue, whose answers a pause makes late, and how many times as many every other class must have. */
const tolerance = 0.005;
const queueTolerance = 0.02;
const minContrast = 10;
/** So few decisions more, or this share of a long log, do not distinguish a class from the best: the times of some can be wrong by more than their intervals. */
const tiedBy = 2;
const tiedShare = tolerance;

/** A bucket that holds the limit but for so many or this share, which rounding or earlier requests can take, is not distinguished from a full one. */
const nearlyFull = 2;
const nearlyFullShare = 0.01;

const isNearlyFull = ({ limiter, limit, parameters: { burst } }: LimiterFit): boolean =>
  limiter === 'burst-bucket' &&
  burst !== undefined &&
  burst.value >= limit.value - Math.max(nearlyFull, nearlyFullShare * limit.value);

/** Windows of a fitted phase explain a few decisions of windows that start with a request, but not so many. */
const isPhaseDoubtful = (best: LimiterFit, rival: LimiterFit): boolean =>
  best.limiter === 'fixed-any-phase' &&
  rival.limiter === 'fixed-from-first' &&
  rival.wrong < minContrast * Math.max(1, best.wrong);

const exactly = (value: number): Fitted => ({ value, least: value, most: value });

const toFit = (
  { limiter, limit, contradicted, phase, burst, steps }: ReplayedFit,
  window: number,
): LimiterFit => ({
  limiter,
  limit: exactly(limit),
  window: exactly(window),
  parameters: Object.fromEntries(
    Object.entries({ phase, burst, steps }).flatMap(([name, value]) =>
      value === null ? [] : [[name, exactly(value)]],
    ),
  ),
  wrong: contradicted.size,
});

/** What is known of a limiter before its log. */
export interface LimiterTerms {
  readonly declared: LimitRule;
  readonly clock: ReplayContext['clock'];
  readonly besides: ReplayContext['besides'];
}

/** Whether the class that explains a log best may be named: it explains nearly all, far more than the next, and nothing but such a limiter decides so. */
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

/** Of the classes that a log does not distinguish from the best, which is the first, the one to name: a full bucket instead of one that is nearly full, if it explains nearly as much. */
const simplestOf = ([best, ...ties]: readonly LimiterFit[], decisions: number): LimiterFit => {
  const isFull = ({ limiter, wrong }: LimiterFit): boolean =>
    limiter === 'token-bucket' && wrong <= nearlyFullShare * decisions;
  return (isNearlyFull(best!) ? ties.find(isFull) : undefined) ?? best!;
};

/** Identifies the limiter behind a log of decisions, best provoked by a probe, among those of the declared limit. */
export const identifyLimiter = (
  log: readonly LimiterDecision[],
  { declared, ...known }: LimiterTerms,
): LimiterIdentification => {
  const found = explainDecisions(replayEvidence(log, { ...declared, ...known }));
  const ranking = found.map((fit) => toFit(fit, declared.window));
  const [first = null, second = null] = ranking;
  const terms = { decisions: log.length, ranking, likelier: [] };
  if (first === null || !isNameable(first, second, log, declared)) {
    return { ...terms, best: null, ties: [], runnerUp: first };
  }
  const fewMore = Math.max(tiedBy, Math.floor(tiedShare * log.length));
  const isTied = (fit: LimiterFit): boolean =>
    fit === first ||
    fit.wrong <= first.wrong + fewMore ||
    isPhaseDoubtful(first, fit) ||
    (fit.limiter === 'token-bucket' && isNearlyFull(first));
  const explaining = ranking.filter(isTied);
  const best = simplestOf(explaining, log.length);
  const others = (fits: readonly LimiterFit[]) => fits.filter((fit) => fit !== best);
  return { ...terms, best, ties: others(explaining), runnerUp: others(ranking)[0] ?? null };
};

/** A decision that one of two limiters contradicts and the other one does not. */
export interface PredictedDecision {
  /** In the log. */
  readonly index: number;
  readonly observed: LimiterAction;
  /** What each of the two predicts, in their order. */
  readonly predicted: readonly [LimiterAction, LimiterAction];
}

/** The decisions of a log that distinguish the best limiters of two classes, in the order of the log; `null` stands for one that explains every decision. */
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

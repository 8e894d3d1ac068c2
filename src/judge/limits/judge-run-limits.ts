import { type LedgerEntry, ledgerEntry } from '../../model/ledger.ts';
import { type Decision, type LimiterClass, limiterClassNames } from '../../model/limit-log.ts';
import { instant, milliseconds } from '../../model/quantity.ts';
import type { Result } from '../../model/result.ts';
import { type KeyLimits, replayedDecisions, type RunLimits } from '../../model/run-limits.ts';
import { missingSlices } from '../../model/summary.ts';
import { identifyLimiter, isFit } from './identify-limiter.ts';
import { checkKey, fullest, type KeyLimit, minute } from './key-checks.ts';
import { type KeyEvidence, keyEvidence } from './key-evidence.ts';
import { keyRefusals } from './key-refusals.ts';

const decisionOf = ({ sent, answered, ended, status }: LedgerEntry): Decision => ({
  ...{ sent: instant(sent), answered: instant(answered), ended: instant(ended) },
  admitted: status !== 429,
});

/** The classes that explain the first decisions on requests, if nobody used the key before or beside the run. */
const explaining = (
  { entries, admitted }: KeyEvidence,
  limit: number | null,
): readonly LimiterClass[] | null => {
  const counted = new Set(admitted);
  const decisions = entries
    .filter((entry) => counted.has(entry) || (entry.status === 429 && entry.unit !== 'tokens'))
    .slice(0, replayedDecisions)
    .map(decisionOf);
  if (limit === null || decisions.every((decision) => decision.admitted)) return null;
  const known = { limit, window: milliseconds(minute), minute: null };
  const identification = identifyLimiter(decisions, known);
  return identification.ranking
    .filter((fit) => isFit(fit, identification))
    .map(({ limiter }) => limiter);
};

const judgeKey = (
  { key, rows }: Result['ledger'][number],
  { limits }: Result['plan'],
  permitted: readonly LimiterClass[],
): KeyLimits => {
  const evidence = keyEvidence(rows.map(ledgerEntry));
  const { requestsPerMinute, tokensPerMinute } = limits;
  const declared: readonly KeyLimit[] = [
    ...(requestsPerMinute === null
      ? []
      : [{ unit: 'requests' as const, limit: requestsPerMinute, charges: evidence.requests }]),
    ...(tokensPerMinute === null
      ? []
      : [{ unit: 'tokens' as const, limit: tokensPerMinute, charges: evidence.tokens }]),
  ];
  const refusals = keyRefusals(evidence);
  return {
    key,
    requests: fullest(evidence.requests),
    tokens: fullest(evidence.tokens),
    refusals,
    explainedBy: explaining(evidence, requestsPerMinute),
    checks: checkKey({ evidence, limits: declared, refusals, permitted }),
  };
};

/** Whether the ledger is all that the run sent, by one clock: the workers of one process share theirs. */
const isWhole = (result: Result): boolean => {
  const [first, ...others] = result.slices;
  const { clock } = first!;
  return (
    missingSlices(result).length === 0 &&
    others.every((slice) => clock !== undefined && slice.clock === clock)
  );
};

/**
 * What the ledger of a run proves about the limits of its keys. Slices on several machines have clocks
 * of their own, which nobody can lay over one another to the millisecond, and a slice that is missing
 * has spent the same keys unseen: such a run proves nothing.
 */
export const judgeRunLimits = (result: Result): RunLimits => {
  const { limiter } = result.plan.limits;
  const permitted = limiter === null ? null : limiter === 'any' ? limiterClassNames : [limiter];
  const keys = isWhole(result)
    ? result.ledger.map((ledger) => judgeKey(ledger, result.plan, permitted ?? limiterClassNames))
    : [];
  const isBroken = keys.some(({ checks }) =>
    checks.some(({ violates, finding }) => violates && finding === 'refuted'),
  );
  const isJudged = permitted !== null;
  return { keys, judged: isJudged, violated: isJudged && isBroken };
};

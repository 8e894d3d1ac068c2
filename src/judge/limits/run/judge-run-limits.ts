import { toLedgerEntry } from '../../../model/observation/ledger.ts';
import {
  isViolation,
  type LimitCheck,
  type LimiterClass,
  limiterClassNames,
} from '../../../model/limits/limit-log.ts';
import type { Result } from '../../../model/result/result.ts';
import type { KeyLimits, RunLimits } from '../../../model/limits/run-limits.ts';
import { sliceNoun } from '../../../model/result/slice-name.ts';
import { missingSlices } from '../../../model/result/summary.ts';
import type { Trust } from '../../../model/result/verdict.ts';
import { checkKeyExplained, explainKey } from './explain-key.ts';
import { explainedRefusals } from './explained-refusals.ts';
import { checkKey, fullestMinute, type KeyLimit, minute } from './key-checks.ts';
import { keyEvidence } from './key-evidence.ts';
import { keyRefusals } from './key-refusals.ts';

/** What holds of what was seen may not hold of the rest. */
const capFinding = (check: LimitCheck, incompleteness: string | null): LimitCheck =>
  incompleteness === null || check.finding !== 'proved'
    ? check
    : { ...check, finding: 'undecided', observed: `${check.observed}; ${incompleteness}` };

/** Why a run proves nothing in favour of its limits; `null` where it does. */
const incompletenessOf = (result: Result, trust: Trust): string | null => {
  if (trust.level === 'invalid') return 'of a run whose figures do not count';
  if (result.partial !== null) return 'of a run that was stopped';
  return missingSlices(result).length > 0
    ? 'of one slice of several, which may share the key'
    : null;
};

const judgeKey = (
  { key, rows, left }: Result['ledger'][number],
  { limits }: Result['plan'],
  permitted: readonly LimiterClass[],
  incompleteness: string | null,
): KeyLimits => {
  const evidence = keyEvidence(rows.map(toLedgerEntry));
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
  const explanation =
    requestsPerMinute === null
      ? null
      : explainKey(evidence, { limit: requestsPerMinute, window: minute });
  const checks = [
    ...checkKey({ evidence, limits: declared, refusals, permitted }),
    ...(explanation === null || requestsPerMinute === null
      ? []
      : [checkKeyExplained(explanation, requestsPerMinute, permitted)]),
  ];
  const reason = left === 0 ? incompleteness : 'of what the ledger had room for';
  return {
    key,
    requests: fullestMinute(evidence.requests),
    tokens: fullestMinute(evidence.tokens),
    refusals,
    explainedBy: explanation,
    checks: checks.map((check) => capFinding(check, reason)),
  };
};

/** Whether all of the ledger was written by one clock: the workers of one process share theirs, and none of them may be lost. */
const isOfOneClock = (result: Result): boolean =>
  sliceNoun(result.slices) === 'worker'
    ? missingSlices(result).length === 0
    : result.slices.length === 1;

/**
 * What the ledger of a run proves about the limits of its keys. Slices on several machines have clocks
 * of their own, which nobody can lay over one another to the millisecond, and a worker
 * that was lost has spent the same keys unseen: such a run proves nothing.
 */
export const judgeRunLimits = (result: Result, trust: Trust): RunLimits => {
  const { limiter } = result.plan.limits;
  const permitted = limiter === null ? null : limiter === 'any' ? limiterClassNames : [limiter];
  const incompleteness = incompletenessOf(result, trust);
  const keys = isOfOneClock(result)
    ? result.ledger.map((ledger) =>
        judgeKey(ledger, result.plan, permitted ?? limiterClassNames, incompleteness),
      )
    : [];
  const isBroken = keys.some(({ checks }) => checks.some(isViolation));
  const isJudged = permitted !== null;
  return {
    keys,
    explained: explainedRefusals(result),
    judged: isJudged,
    violated: isJudged && isBroken,
  };
};

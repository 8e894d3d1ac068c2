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

/** A claim about an incomplete run is not proved. */
const capFinding = (check: LimitCheck, incompleteness: string | null): LimitCheck =>
  incompleteness === null || check.finding !== 'proved'
    ? check
    : { ...check, finding: 'undecided', observed: `${check.observed}; ${incompleteness}` };

/** Why a run cannot prove a claim; `null` if it can. */
const incompletenessOf = (result: Result, trust: Trust): string | null => {
  if (trust.level === 'invalid') return 'but the load generator was invalid';
  if (result.partial !== null) return 'but the run was stopped';
  return missingSlices(result).length > 0
    ? 'but slices are missing, which can share the key'
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
  const reason = left === 0 ? incompleteness : 'but the ledger was full';
  return {
    key,
    requests: fullestMinute(evidence.requests),
    tokens: fullestMinute(evidence.tokens),
    refusals,
    explainedBy: explanation,
    checks: checks.map((check) => capFinding(check, reason)),
  };
};

/** Whether one clock covers the whole ledger: the workers of one process share it, but none may be missing. */
const isOfOneClock = (result: Result): boolean =>
  sliceNoun(result.slices) === 'worker'
    ? missingSlices(result).length === 0
    : result.slices.length === 1;

/**
 * What the ledger of a run proves about the limits of its keys. Slices on several machines have
 * separate clocks, and a lost worker used the same keys: such runs prove nothing.
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

import { type LedgerEntry, toLedgerEntry } from '../../../model/observation/ledger.ts';
import {
  type LimiterDecision,
  type LimitCheck,
  type LimiterClass,
  isViolation,
  limiterClassNames,
} from '../../../model/limits/limit-log.ts';
import { type LimitsPerMinute, limitsOfKey } from '../../../model/plan/limits-per-minute.ts';
import { instant, milliseconds } from '../../../model/quantity.ts';
import {
  replayedDecisions,
  type KeyLimits,
  type RunLimits,
} from '../../../model/limits/run-limits.ts';
import { identifyLimiter } from '../limiter/identify-limiter.ts';
import { formatCount } from '../facts/check-claim.ts';
import {
  countExplained,
  ledgersOfOneClock,
  minuteLimits,
  type UsedUpLimits,
  usedUpLimits,
} from '../facts/explained-refusals.ts';
import {
  isChat,
  type KeyEvidence,
  keyEvidence,
  keyRefusals,
  minute,
} from '../facts/key-evidence.ts';
import type { Result } from '../../../model/result/result.ts';
import { groupsMatching, missingSlices, outsideWarmUp } from '../../../model/result/summary.ts';
import { checkKey, fullestMinute, type KeyLimit, type KeyTerms } from './key-checks.ts';
import type { Trust } from '../../../model/result/verdict.ts';

const decisionOf = ({ sent, answered, ended, status }: LedgerEntry): LimiterDecision => ({
  sent: instant(sent),
  answered: instant(answered),
  ended: instant(ended),
  admitted: status !== 429,
});

/**
 * The rules by which a gateway may decide whether a request counts against a limit. The interface does not define this.
 */
const countingRules: readonly ((entry: LedgerEntry) => boolean)[] = [
  isChat,
  ({ traffic }) => traffic !== 'models',
  () => true,
];

const isDecided = ({ status }: LedgerEntry): boolean =>
  status === 429 || (status >= 200 && status < 500 && status !== 401);

/**
 * Possible rules of admission. Each rule says whether a request reached the limiter. A failure (5xx or 0) can occur
 * before or behind the limiter.
 */
const admissionRules: readonly ((entry: LedgerEntry) => boolean)[] = [
  isDecided,
  (entry) => isDecided(entry) || entry.status >= 500,
  (entry) => isDecided(entry) || entry.status >= 500 || entry.status === 0,
];

/**
 * Returns the first decisions of a key, once for each distinct set of requests that the rules select. A 429 that names
 * no limit may be a refusal for tokens if the limit of tokens may be used up.
 */
const interpretationsOf = (
  entries: readonly LedgerEntry[],
  usedUp: UsedUpLimits,
): readonly LimiterDecision[][] => {
  const isForTokens = (entry: LedgerEntry): boolean =>
    entry.unit === null && usedUp.get(entry)?.includes('tokens') === true;
  const named = [...entries.entries()].filter(([, { unit }]) => unit !== 'tokens');
  const unexplained = named.filter(([, entry]) => !isForTokens(entry));
  const placesOf = (
    numbered: typeof named,
    [counts, isIn]: readonly [(typeof countingRules)[number], (typeof admissionRules)[number]],
  ): readonly number[] =>
    numbered
      .filter(([, entry]) => counts(entry) && isIn(entry))
      .slice(0, replayedDecisions)
      .map(([place]) => place);
  const rules = countingRules.flatMap((counts) =>
    admissionRules.map((isIn) => [counts, isIn] as const),
  );
  const places = rules.flatMap((rule) => [placesOf(named, rule), placesOf(unexplained, rule)]);
  const distinct = new Map(places.map((each) => [each.join(' '), each]));
  return [...distinct.values()].map((each) => each.map((place) => decisionOf(entries[place]!)));
};

/**
 * Returns the limiter classes that explain the decisions, assuming that nobody else used the key. Returns `null` if no
 * refusal can come from the limit of requests.
 */
const explainKey = (
  { entries, refused }: KeyEvidence,
  limit: number,
  usedUp: UsedUpLimits,
): readonly LimiterClass[] | null => {
  if (refused.every(({ unit }) => unit === 'tokens')) return null;
  const known = { declared: { limit, window: milliseconds(minute) }, clock: null, besides: [[]] };
  const classes = interpretationsOf(entries, usedUp).flatMap((decisions) => {
    if (decisions.every(({ admitted }) => admitted)) return [];
    const identification = identifyLimiter(decisions, known);
    return identification.ranking.flatMap(({ limiter, wrong, limit: fitted }) =>
      wrong === 0 && fitted.least <= limit && limit <= fitted.most ? [limiter] : [],
    );
  });
  // A cap on requests in flight is left out: a cap does not limit a rate, and would explain almost any decisions.
  return [...new Set(classes)].filter((name) => name !== 'in-flight');
};

/**
 * Checks whether a permitted class explains the decisions. If no permitted class explains the decisions, other users of
 * the key may be the cause.
 */
const checkKeyExplained = (
  classes: readonly LimiterClass[],
  limit: number,
  permitted: readonly LimiterClass[],
): LimitCheck => ({
  id: 'limit-explained',
  claim: `A permitted limiter of ${formatCount(limit)} requests a minute explains the decisions (at most the first ${replayedDecisions}).`,
  section: '8',
  finding: classes.some((name) => permitted.includes(name)) ? 'proved' : 'undecided',
  violates: true,
  observed:
    classes.length === 0
      ? 'no class explains them, if no one else used the key before or during the run'
      : `explained by: ${classes.join(', ')}; if no one else used the key before or during the run`,
  evidence: [],
});

const declaredLimits = (evidence: KeyEvidence, limits: LimitsPerMinute): readonly KeyLimit[] =>
  minuteLimits(limits).map((each) => ({ ...each, charges: evidence[each.unit] }));

const incompletenessOf = (result: Result, trust: Trust): string | null => {
  if (trust.level === 'invalid') return 'but the load generator was invalid';
  if (result.partial !== null) return 'but the run was stopped';
  return missingSlices(result).length > 0
    ? 'but slices are missing, which can share the key'
    : null;
};

const judgeKey = (
  { key, rows, left }: Result['ledger'][number],
  plan: Result['plan'],
  { permitted, isOwnKey }: Pick<KeyTerms, 'permitted' | 'isOwnKey'>,
  incompleteness: string | null,
): KeyLimits => {
  const evidence = keyEvidence(rows.map(toLedgerEntry));
  const limits = limitsOfKey(plan, key);
  const declared = declaredLimits(evidence, limits);
  const usedUp = usedUpLimits(evidence, declared);
  const { requestsPerMinute: limit } = limits;
  const refusals = keyRefusals(evidence);
  const explainedBy = limit === null ? null : explainKey(evidence, limit, usedUp);
  const terms = { permitted, isOwnKey, usedUp };
  const checks = [...checkKey(evidence, declared, refusals, terms)];
  if (limit !== null && explainedBy !== null)
    checks.push(checkKeyExplained(explainedBy, limit, permitted));
  const reason = left === 0 ? incompleteness : 'but the ledger was full';
  return {
    key,
    requests: fullestMinute(evidence.requests),
    tokens: fullestMinute(evidence.tokens),
    refusals,
    explainedBy,
    checks: checks.map((check) =>
      // If a run is incomplete, a claim that the run seems to prove stays undecided.
      reason === null || check.finding !== 'proved'
        ? check
        : { ...check, finding: 'undecided', observed: `${check.observed}; ${reason}` },
    ),
  };
};

const anywhere = { traffic: null, model: null, key: null, stages: null };

/**
 * Judges what the ledger proves about the keys' limits. The ledger proves nothing unless all slices are present and
 * share a clock.
 */
export const judgeRunLimits = (result: Result, trust: Trust): RunLimits => {
  const { limiter } = result.plan.limits;
  const permitted = limiter === null ? null : limiter === 'any' ? limiterClassNames : [limiter];
  const incompleteness = incompletenessOf(result, trust);
  const ledgers = ledgersOfOneClock(result);
  const keys = (ledgers ?? []).map((ledger) =>
    judgeKey(
      ledger,
      result.plan,
      {
        permitted: permitted ?? limiterClassNames,
        isOwnKey: limiter !== null && limiter !== 'any',
      },
      incompleteness,
    ),
  );
  const judged = permitted !== null;
  const violated = judged && keys.some(({ checks }) => checks.some(isViolation));
  const explained = countExplained(result, anywhere, groupsMatching(result, outsideWarmUp));
  return { keys, explained, judged, violated };
};

import {
  type Ledger,
  type LedgerEntry,
  toLedgerEntry,
  toLedgerRow,
} from '../../../model/observation/ledger.ts';
import type { LimitUnit } from '../../../model/plan/forecast.ts';
import type { Group } from '../../../model/measures/counts.ts';
import { sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import { inScope, type ObjectiveScope } from '../../../model/plan/objective.ts';
import { retriesOf } from '../../../model/plan/population.ts';
import { stageSpans } from '../../../model/plan/stage-spans.ts';
import { sliceNoun } from '../../../model/result/slice-name.ts';
import type { Result } from '../../../model/result/result.ts';
import { missingSlices } from '../../../model/result/summary.ts';
import {
  type LimitsPerMinute,
  hasLimits,
  limitsOfKey,
} from '../../../model/plan/limits-per-minute.ts';
import { milliseconds } from '../../../model/quantity.ts';
import { type KeyEvidence, keyEvidence, minute } from './key-evidence.ts';
import { ownCountFactorOf } from './own-count.ts';
import { exceededSpans } from './token-envelope.ts';
import type { LimitRule } from '../../../model/limits/limit-log.ts';
import type { LimitUse } from './token-uses.ts';
import { mayBeUsedUp } from './used-up.ts';

export interface MinuteLimit {
  readonly unit: LimitUnit;
  readonly limit: number;
}

export const minuteLimits = ({
  requestsPerMinute,
  tokensPerMinute,
}: LimitsPerMinute): readonly MinuteLimit[] =>
  [
    { unit: 'requests' as const, limit: requestsPerMinute },
    { unit: 'tokens' as const, limit: tokensPerMinute },
  ].flatMap(({ unit, limit }) => (limit === null ? [] : [{ unit, limit }]));

/** For each 429 of a key, the declared limits that may have been used up when the request was refused. */
export type UsedUpLimits = ReadonlyMap<LedgerEntry, readonly LimitUnit[]>;

const isExceeded = (uses: readonly LimitUse[], rule: LimitRule): boolean =>
  exceededSpans(uses, rule, { extra: 1, forgottenIn: (windows) => windows }).length > 0;

/** Represents the request that asks for the target's models before the load. Some gateways count this request. */
const startUp = ([first]: readonly LedgerEntry[]): LimitUse => {
  const at = Math.min(0, first?.sent ?? 0);
  const times = { sent: at, answered: at, settled: at };
  return { ...times, fate: 'other', names: null, least: 0, most: 1, reserved: 1 };
};

export const usedUpLimits = (
  { entries, uses, refused }: KeyEvidence,
  limits: readonly MinuteLimit[],
): UsedUpLimits => {
  if (refused.length === 0) return new Map();
  const rules = limits
    .map((each) => ({ ...each, rule: { limit: each.limit, window: milliseconds(minute) } }))
    // A gateway that certainly admitted more than a limit allows does not enforce the limit. So the limit caused no
    // refusal.
    .filter(({ unit, rule }) => !isExceeded(uses[unit], rule))
    .map(({ unit, rule }) => {
      return unit === 'requests'
        ? { unit, isUsedUp: mayBeUsedUp([startUp(entries), ...uses.requests], rule) }
        : {
            unit,
            isUsedUp: mayBeUsedUp(
              uses.tokens,
              rule,
              ownCountFactorOf(entries, uses.tokens, rule.limit),
            ),
          };
    });
  return new Map(
    entries.flatMap((entry, place) => {
      if (entry.status !== 429) return [];
      const units = rules.filter(({ unit, isUsedUp }) => isUsedUp(uses[unit][place]!));
      return [[entry, units.map(({ unit }) => unit)] as const];
    }),
  );
};

/**
 * Returns whether a declared limit may have been used up at a 429. If the 429 names a limit, only the named limit
 * matters.
 */
export const hasUsedUp = (refusal: LedgerEntry, usedUp: UsedUpLimits): boolean => {
  const units = usedUp.get(refusal) ?? [];
  return refusal.unit === null ? units.length > 0 : units.some((unit) => unit === refusal.unit);
};

/** Returns how far the clocks of the slices can differ, in ms; `null` if unknown. */
const clockError = ({ slices }: Result): number | null => {
  if (slices.length === 1 || sliceNoun(slices) === 'worker') return 0;
  let error = 0;
  for (const { clockOffset } of slices) {
    if (clockOffset === undefined) return null;
    error = Math.max(error, clockOffset.uncertainty);
  }
  return error;
};

const widen = ({ rows, ...ledger }: Ledger, error: number): Ledger => ({
  ...ledger,
  rows: rows.map((row) => {
    const { sent, answered, ended, ...entry } = toLedgerEntry(row);
    return toLedgerRow({
      ...entry,
      sent: sent - error,
      answered: answered + error,
      ended: ended + error,
    });
  }),
});

/**
 * Returns a run's ledgers with all instants on one clock. If a coordinator compared the clocks, every interval grows by
 * the uncertainty of the clocks. Returns `null` if the clocks were not compared. Also returns `null` if a slice is
 * missing, since the missing slice used the same keys.
 */
export const ledgersOfOneClock = (result: Result): readonly Ledger[] | null => {
  const { slices, ledger } = result;
  const isWhole = missingSlices(result).length === 0;
  // A slice that ran on one of several machines may be judged alone. The verdict on it is incomplete.
  const isAlone = slices.length === 1 && sliceNoun(slices) === 'slice';
  const error = isWhole || isAlone ? clockError(result) : null;
  if (error === null) return null;
  return error === 0 ? ledger : ledger.map((each) => widen(each, error));
};

/** A 429 after the warm-up. */
export interface MeasuredRefusal extends Pick<LedgerEntry, 'sent' | 'ended' | 'traffic'> {
  readonly key: string;
  /**
   * Whether a declared limit may have been used up in the minute before, so that a compliant gateway may refuse this
   * request.
   */
  readonly isExplained: boolean;
}

const refusalsOfKey = ({ key, rows }: Ledger, plan: Result['plan']): readonly MeasuredRefusal[] => {
  const evidence = keyEvidence(rows.map(toLedgerEntry));
  const usedUp = usedUpLimits(evidence, minuteLimits(limitsOfKey(plan, key)));
  return evidence.refused
    .filter(({ sent }) => sent >= plan.warmUp)
    .map((refusal) => {
      const { sent, ended, traffic } = refusal;
      return { key, sent, ended, traffic, isExplained: hasUsedUp(refusal, usedUp) };
    });
};

const knownRefusals = new WeakMap<Result, readonly MeasuredRefusal[] | null>();

/**
 * Returns the 429s after the warm-up, and whether a declared limit explains each 429. Returns `null` if no limit is
 * declared, if retries make attempts differ from arrivals, if the ledger was too small, if slices have separate clocks,
 * or if the run has no ledger yet.
 */
export const measuredRefusals = (result: Result): readonly MeasuredRefusal[] | null => {
  const known = knownRefusals.get(result);
  if (known !== undefined) return known;
  const { plan } = result;
  const ledgers = ledgersOfOneClock(result);
  const isKnown =
    result.slices.length > 0 &&
    hasLimits(plan) &&
    retriesOf(plan).every((retry) => retry === null) &&
    result.ledger.every(({ left }) => left === 0);
  const found =
    !isKnown || ledgers === null ? null : ledgers.flatMap((ledger) => refusalsOfKey(ledger, plan));
  knownRefusals.set(result, found);
  return found;
};

/**
 * Counts, among the 429s of some groups, those that a declared limit explains; `null` if this number is unknown. A
 * ledger does not record the model of a request. So for the groups of one model, the function first assigns the
 * explained 429s to the 429s of other models, and counts only the rest.
 */
export const countExplained = (
  result: Result,
  scope: ObjectiveScope,
  groups: readonly Group[],
): number | null => {
  const refusals = measuredRefusals(result);
  if (refusals === null) return null;
  const spans = stageSpans(result.plan);
  const kinds = new Set(groups.map(({ labels }) => labels.traffic));
  const within = refusals.filter(({ key, traffic, sent }) => {
    // The ledger has no due instants. An arrival is sent just after its due instant, so the instant of sending
    // determines the stage.
    const stage = spans.findLast(({ from }) => from <= sent)?.name ?? '';
    return (
      kinds.has(traffic) && inScope({ ...scope, model: null }, { key, traffic, model: null, stage })
    );
  });
  const explained = within.filter(({ isExplained }) => isExplained).length;
  // The ledger has the 429s that were sent after the warm-up. The groups have the 429s that were due after the warm-up,
  // and these can be fewer. So the result is at most the number of 429s in the groups.
  const { limited } = sumOutcomes(groups);
  if (scope.model === null) return Math.min(explained, limited);
  return Math.max(0, Math.min(explained, limited - (within.length - explained)));
};

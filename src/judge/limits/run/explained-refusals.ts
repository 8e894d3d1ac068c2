import { toLedgerEntry } from '../../../model/observation/ledger.ts';
import type { Result } from '../../../model/result/result.ts';
import { sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp } from '../../../model/result/summary.ts';
import { type Charge, type ChargedBefore, chargedBefore } from '../facts/interval-counts.ts';
import { minute } from './key-checks.ts';
import { keyEvidence } from './key-evidence.ts';

/** Only known charges: one request without reported tokens would make every sum around it infinite. */
const knownOnly = (charges: readonly Charge[]): readonly Charge[] =>
  charges.map((charge) => ({ ...charge, most: charge.least }));

/** The 429s of one key after the warm-up that its declared limits explain. */
const countExplained = (
  { rows }: Result['ledger'][number],
  { limits, warmUp }: Result['plan'],
): number => {
  const { requests, tokens, refused } = keyEvidence(rows.map(toLedgerEntry));
  const { requestsPerMinute, tokensPerMinute } = limits;
  const declared: readonly (readonly [number | null, ChargedBefore])[] = [
    [requestsPerMinute, chargedBefore(requests)],
    [tokensPerMinute, chargedBefore(knownOnly(tokens))],
  ];
  return refused.filter(
    (refusal) =>
      refusal.sent >= warmUp &&
      declared.some(([limit, charged]) => limit !== null && charged(refusal, minute).most >= limit),
  ).length;
};

/**
 * The measured arrivals that were answered 429 and that a compliant gateway refuses: a declared limit
 * was, or possibly was, used up within the minute before. `null` if unknown: no limit is declared,
 * attempts are not arrivals (retries), the ledger was too small, or slices have separate clocks.
 */
export const explainedRefusals = (result: Result): number | null => {
  const { limits, retry } = result.plan;
  const isKnown =
    (limits.requestsPerMinute !== null || limits.tokensPerMinute !== null) &&
    retry === null &&
    result.slices.length === 1 &&
    result.ledger.every(({ left }) => left === 0);
  if (!isKnown) return null;
  const explained = result.ledger.reduce((sum, key) => sum + countExplained(key, result.plan), 0);
  // A request due in the warm-up can have been sent just after it.
  return Math.min(explained, sumOutcomes(groupsMatching(result, outsideWarmUp)).limited);
};

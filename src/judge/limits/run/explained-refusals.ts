import { toLedgerEntry } from '../../../model/observation/ledger.ts';
import type { Result } from '../../../model/result/result.ts';
import { sumOutcomes } from '../../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp } from '../../../model/result/summary.ts';
import { type Charge, type ChargedBefore, chargedBefore } from '../facts/interval-counts.ts';
import { minute } from './key-checks.ts';
import { keyEvidence } from './key-evidence.ts';

/** Only what is known: one request that told no tokens would make every sum around it infinite. */
const knownOnly = (charges: readonly Charge[]): readonly Charge[] =>
  charges.map((charge) => ({ ...charge, most: charge.least }));

/** How many 429s of one key its declared limits explain, of those sent since `from`. */
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
 * How many arrivals of the measured part were answered 429 where the key had, or may have had, a whole
 * declared limit of requests or tokens let in within the minute before: what a gateway that keeps
 * its word has to refuse. `null` where that cannot be known: no limit is declared, attempts are not arrivals
 * (retries), the ledger was too small, or slices have clocks of their own.
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
  // Sent is a little after due: one due in the warm-up may have been sent behind it.
  return Math.min(explained, sumOutcomes(groupsMatching(result, outsideWarmUp)).limited);
};

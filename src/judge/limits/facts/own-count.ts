import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { sumInFlight } from './early-refusals.ts';
import { minute } from './key-evidence.ts';
import { type LimitUse, ownCountRatio } from './token-uses.ts';

/** The highest count of a text by any tokenizer, as a multiple of its usage. */
const highestCount = 1.6;
/** The share of the limit that may be used before the first request: more is a lower limit, or an earlier use of the key. */
const unknownShare = 1 / 50;
/** The share of all charges that may be in flight, whose reservations may be corrected later. */
const inFlightShare = 1 / 4;

/**
 * Returns by what multiple a gateway counts more tokens than `most` says, by what remains of the limit in the first minute,
 * before any window forgets; 1 if nothing shows it. A lower limit and charges that no tokenizer explains do not count.
 */
export const countAbove = (
  entries: readonly LedgerEntry[],
  uses: readonly LimitUse[],
  limit: number,
): number => {
  const charged = uses.filter(({ fate }) => fate !== 'refused');
  const between = sumInFlight(charged, ({ most }) => most);
  const reporting = entries.filter(({ remainingTokens }) => remainingTokens !== null);
  const begin = entries[0]?.sent ?? 0;
  const usedAt = ({ remainingTokens }: LedgerEntry): number => limit - remainingTokens!;
  const [first] = reporting;
  if (first === undefined || usedAt(first) > between(first) + unknownShare * limit) return 1;
  const ratios = reporting.map((entry) => {
    const { answered } = entry;
    const sum = between({ sent: begin, answered });
    const isShown =
      sum > limit / 2 && answered < begin + minute && between(entry) < inFlightShare * sum;
    return isShown ? usedAt(entry) / sum : 1;
  });
  const ratio = Math.max(1, ...ratios);
  return ratio <= highestCount / ownCountRatio ? ratio : 1;
};

import type { LedgerEntry } from '../../../model/observation/ledger.ts';
import { sumInFlight } from './early-refusals.ts';
import { minute } from './key-evidence.ts';
import { type LimitUse, ownCountRatio } from './token-uses.ts';

/** No tokenizer counts more than this many times the reported tokens of a text. A higher ratio is ignored. */
const highestCountRatio = 1.6;
/**
 * Up to this share of the limit may have been used before the first request. If more was used, the limit is lower than
 * declared, or somebody used the key before. The reports are then ignored.
 */
const unknownShare = 1 / 50;
/**
 * A report is used only if less than this share of all charges belongs to requests in flight, since the gateway may
 * still correct such charges.
 */
const inFlightShare = 1 / 4;

/**
 * Returns the ratio of the gateway's own count of the used tokens to Weir's count (`most`). The gateway's count comes
 * from the remaining tokens that it reports in the first minute. Later reports are not used, since a window may have
 * ended. The ratio is 1 if the reports show nothing, if they show a limit below the declared limit, or if they show
 * more tokens than any tokenizer counts. The remaining tokens of a 429 are not used, since many gateways then report
 * that nothing remains. Reports after a chat with unknown usage and unknown reservation are not used, either.
 */
export const ownCountFactorOf = (
  entries: readonly LedgerEntry[],
  uses: readonly LimitUse[],
  limit: number,
): number => {
  const charged = uses.filter(({ fate }) => fate !== 'refused');
  const between = sumInFlight(charged, ({ most, reserved }) =>
    Number.isFinite(most) ? most : reserved,
  );
  const reporting = entries.filter(
    ({ status, remainingTokens }) => status !== 429 && remainingTokens !== null,
  );
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
  return ratio <= highestCountRatio / ownCountRatio ? ratio : 1;
};

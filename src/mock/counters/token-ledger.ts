import type { MockCredits } from '../../model/gateway/mock-settings.ts';
import { RecentItems } from './mock-counters.ts';
import type { TokenCharge } from '../limits/token-limiter.ts';

interface TokenLedgerEntry {
  readonly requestId: string;
  /** The key's index in the settings. The ledger contains no keys. */
  readonly key: number;
  readonly charge: TokenCharge;
}

/** Opens the list of the token charges of all keys, in the order in which the charges were decided. */
export const openTokenLedger = ({ ledger: listed }: MockCredits) => {
  const recent = new RecentItems<TokenLedgerEntry>(listed);
  let charges = 0;
  return {
    add: (entry: TokenLedgerEntry): void => {
      charges += 1;
      recent.add(entry);
    },
    setLedgerSize: (entries: number): void => recent.resize(entries),
    /**
     * Returns the ledger for the control port: the last entries, the number of all entries, and the number of entries
     * that were dropped.
     */
    ledger: () => ({
      charges,
      dropped: recent.dropped,
      entries: recent.items().map(({ charge, ...request }) => ({ ...request, ...charge })),
    }),
  };
};

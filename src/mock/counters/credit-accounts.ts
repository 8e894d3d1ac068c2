import type { MockCredits } from '../../model/gateway/mock-settings.ts';
import { openRecentItems } from './recent-items.ts';

/** What is charged at once: counts by their names, and their price in whole micro-units. */
export interface CreditCharge {
  readonly kind: 'chat' | 'chat-stream' | 'speech' | 'transcription';
  readonly quantities: Readonly<Record<string, number>>;
  readonly micros: number;
}

/** One line of the ledger. */
interface CreditLedgerEntry extends CreditCharge {
  readonly requestId: string;
  /** The key's place in the settings, from 0: the ledger holds no keys. */
  readonly key: number;
  /** What the key had left after it, in micro-units; `null` without a limit. */
  readonly balance: number | null;
}

/** The ledger as the control port tells it: the last entries, oldest first, and the sums of all. */
export interface CreditLedger {
  readonly charges: number;
  readonly micros: number;
  /** Entries that are counted above and no longer listed. */
  readonly dropped: number;
  readonly entries: readonly CreditLedgerEntry[];
}

/** What each key may still spend, and what it was charged for. */
export interface CreditAccounts {
  /** Micro-units left, below zero when the last charge was larger than what was left; `null` without a limit. */
  balance(key: number): number | null;
  charge(key: number, requestId: string, charge: CreditCharge): void;
  /** Gives every key this balance anew; the ledger stays. */
  setBalance(balance: number | null): void;
  /** Lists so many entries from now on. */
  setLedgerSize(entries: number): void;
  ledger(): CreditLedger;
}

/** CreditAccounts in which nothing is charged yet. Balances and sums are integers, so they are exact. */
export const openCreditAccounts = (credits: MockCredits): CreditAccounts => {
  const recent = openRecentItems<CreditLedgerEntry>(credits.ledger);
  const spent = new Map<number, number>();
  let initialBalance = credits.balance;
  let charges = 0;
  let micros = 0;
  const balance = (key: number): number | null =>
    initialBalance === null ? null : initialBalance - (spent.get(key) ?? 0);
  return {
    balance,
    charge: (key, requestId, charge) => {
      spent.set(key, (spent.get(key) ?? 0) + charge.micros);
      charges += 1;
      micros += charge.micros;
      recent.add({ requestId, key, ...charge, balance: balance(key) });
    },
    setBalance: (amount) => {
      initialBalance = amount;
      spent.clear();
    },
    setLedgerSize: (entries) => recent.resize(entries),
    ledger: () => ({ charges, micros, dropped: recent.dropped, entries: recent.items() }),
  };
};

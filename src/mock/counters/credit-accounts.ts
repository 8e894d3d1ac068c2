import type { MockCredits } from '../../model/gateway/mock-settings.ts';
import { openRecentItems } from './recent-items.ts';

/** One charge: quantities by name, and their price in whole micro-units. */
export interface CreditCharge {
  readonly kind: 'chat' | 'chat-stream' | 'speech' | 'transcription';
  readonly quantities: Readonly<Record<string, number>>;
  readonly micros: number;
}

/** One line of the ledger. */
interface CreditLedgerEntry extends CreditCharge {
  readonly requestId: string;
  /** The key's index in the settings: the ledger holds no keys. */
  readonly key: number;
  /** The key's balance after it, in micro-units; `null` without a limit. */
  readonly balance: number | null;
}

/** The ledger of the control port: the last entries, oldest first, and the sums of all. */
export interface CreditLedger {
  readonly charges: number;
  readonly micros: number;
  /** Entries that are in the sums but no longer listed. */
  readonly dropped: number;
  readonly entries: readonly CreditLedgerEntry[];
}

/** The balance of each key, and the ledger. */
export interface CreditAccounts {
  /** In micro-units, below zero if the last charge was larger than the rest; `null` without a limit. */
  balance(key: number): number | null;
  charge(key: number, requestId: string, charge: CreditCharge): void;
  /** Resets every key to this balance; the ledger stays. */
  setBalance(balance: number | null): void;
  /** Changes the number of listed entries. */
  setLedgerSize(entries: number): void;
  ledger(): CreditLedger;
}

/** Accounts without a charge. Balances and sums are integers, so they are exact. */
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

import type { MockCredits } from '../../model/gateway/mock-settings.ts';
import { RecentItems } from './recent-items.ts';

/** One charge: quantities by name, and their price in whole micro-units. */
export interface CreditCharge {
  readonly kind: 'chat' | 'chat-stream' | 'speech' | 'transcription';
  readonly quantities: Readonly<Record<string, number>>;
  readonly micros: number;
}

interface CreditLedgerEntry extends CreditCharge {
  readonly requestId: string;
  /** The key's index in the settings: the ledger holds no keys. */
  readonly key: number;
  /** The key's balance after it, in micro-units; `null` without a limit. */
  readonly balance: number | null;
}

/** The balance of each key, and the ledger. Balances and sums are integers, so they are exact. */
export const openCreditAccounts = ({ ledger: listed, balance: initial }: MockCredits) => {
  const recent = new RecentItems<CreditLedgerEntry>(listed);
  const spent = new Map<number, number>();
  let initialBalance = initial;
  let charges = 0;
  let micros = 0;
  /** In micro-units, below zero if the last charge was larger than the rest; `null` without a limit. */
  const balance = (key: number): number | null =>
    initialBalance === null ? null : initialBalance - (spent.get(key) ?? 0);
  return {
    balance,
    charge: (key: number, requestId: string, charge: CreditCharge): void => {
      spent.set(key, (spent.get(key) ?? 0) + charge.micros);
      charges += 1;
      micros += charge.micros;
      recent.add({ requestId, key, ...charge, balance: balance(key) });
    },
    /** Resets every key to this balance; the ledger stays. */
    setBalance: (changed: number | null): void => {
      initialBalance = changed;
      spent.clear();
    },
    setLedgerSize: (entries: number): void => recent.resize(entries),
    /** The ledger of the control port: the last entries, oldest first, how many are no longer listed, and the sums of all. */
    ledger: () => ({ charges, micros, dropped: recent.dropped, entries: recent.items() }),
  };
};
export type CreditLedger = ReturnType<ReturnType<typeof openCreditAccounts>['ledger']>;

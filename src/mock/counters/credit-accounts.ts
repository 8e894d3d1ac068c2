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
export class CreditAccounts {
  readonly #recent: RecentItems<CreditLedgerEntry>;
  readonly #spent = new Map<number, number>();
  #initialBalance: number | null;
  #charges = 0;
  #micros = 0;

  constructor({ ledger, balance }: MockCredits) {
    this.#recent = new RecentItems(ledger);
    this.#initialBalance = balance;
  }

  /** In micro-units, below zero if the last charge was larger than the rest; `null` without a limit. */
  balance(key: number): number | null {
    return this.#initialBalance === null
      ? null
      : this.#initialBalance - (this.#spent.get(key) ?? 0);
  }

  charge(key: number, requestId: string, charge: CreditCharge): void {
    this.#spent.set(key, (this.#spent.get(key) ?? 0) + charge.micros);
    this.#charges += 1;
    this.#micros += charge.micros;
    this.#recent.add({ requestId, key, ...charge, balance: this.balance(key) });
  }

  /** Resets every key to this balance; the ledger stays. */
  setBalance(balance: number | null): void {
    this.#initialBalance = balance;
    this.#spent.clear();
  }

  setLedgerSize(entries: number): void {
    this.#recent.resize(entries);
  }

  /** The ledger of the control port: the last entries, oldest first, how many are no longer listed, and the sums of all. */
  ledger() {
    const { dropped } = this.#recent;
    const entries = this.#recent.items();
    return { charges: this.#charges, micros: this.#micros, dropped, entries };
  }
}
export type CreditLedger = ReturnType<CreditAccounts['ledger']>;

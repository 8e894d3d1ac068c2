import type { MockCredits } from '../model/mock-credits.ts';
import { keepRecent } from './recent.ts';

/** What is charged at once: counts by their names, and their price in whole micro-units. */
export interface Purchase {
  readonly kind: 'chat' | 'chat-stream' | 'speech' | 'transcription';
  readonly quantities: Readonly<Record<string, number>>;
  readonly micros: number;
}

/** One line of the ledger. */
interface Entry extends Purchase {
  readonly requestId: string;
  /** The key's place in the settings, from 0: the ledger holds no keys. */
  readonly key: number;
  /** What the key had left after it, in micro-units; `null` without a limit. */
  readonly balance: number | null;
}

/** The ledger as the control port tells it: the last entries, oldest first, and the sums of all. */
export interface Ledger {
  readonly charges: number;
  readonly micros: number;
  /** Entries that are counted above and no longer listed. */
  readonly dropped: number;
  readonly entries: readonly Entry[];
}

/** What each key may still spend, and what it was charged for. */
export interface Books {
  /** Micro-units left, below zero when the last charge was larger than what was left; `null` without a limit. */
  balance(key: number): number | null;
  charge(key: number, requestId: string, purchase: Purchase): void;
  /** Gives every key this balance anew; the ledger stays. */
  refill(balance: number | null): void;
  /** Lists so many entries from now on. */
  list(entries: number): void;
  ledger(): Ledger;
}

/** Books in which nothing is charged yet. Balances and sums are integers, so they are exact. */
export const openBooks = (credits: MockCredits): Books => {
  const recent = keepRecent<Entry>(credits.ledger);
  const spent = new Map<number, number>();
  let given = credits.balance;
  let charges = 0;
  let micros = 0;
  const balance = (key: number): number | null =>
    given === null ? null : given - (spent.get(key) ?? 0);
  return {
    balance,
    charge: (key, requestId, purchase) => {
      spent.set(key, (spent.get(key) ?? 0) + purchase.micros);
      charges += 1;
      micros += purchase.micros;
      recent.add({ requestId, key, ...purchase, balance: balance(key) });
    },
    refill: (amount) => {
      given = amount;
      spent.clear();
    },
    list: (entries) => recent.resize(entries),
    ledger: () => ({ charges, micros, dropped: recent.dropped, entries: recent.items() }),
  };
};

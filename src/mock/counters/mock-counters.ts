import { routes } from '../../contract/routes.ts';
import { faultNames } from '../../model/gateway/mock-faults.ts';
import { trafficKinds } from '../../model/workload/traffic.ts';
import { limitCauses } from '../limits/key-limiter.ts';
import { refusalCauses } from '../errors/mock-errors.ts';
import type { MockCredits } from '../../model/gateway/mock-settings.ts';

export type RouteName = keyof typeof routes;
const routeNames = Object.keys(routes) as readonly RouteName[];

/**
 * The ways in which a request can end. `faulted`: with a fault. `aborted`: by the client. `cut`: because the mock was
 * stopped.
 */
const ends = [
  ...trafficKinds.map((kind) => `completed.${kind}` as const),
  ...limitCauses.map((cause) => `limited.${cause}` as const),
  ...refusalCauses.map((cause) => `refused.${cause}` as const),
  ...faultNames.map((name) => `faulted.${name}` as const),
  'aborted',
  'cut',
] as const;
export type ExchangeEnd = (typeof ends)[number];

const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;

/** Creates the counters, all 0. Every received request has exactly one end, or is in flight. */
export const emptyMockCounters = () => ({
  received: 0,
  /** The number of requests that checked the gateway before a run. The other counters do not include these requests. */
  preflights: 0,
  /** For each route, how many requests passed the checks of path, key, credits and limits. */
  admitted: zeros(routeNames),
  ended: zeros(ends),
  /** The prompt tokens of all chats that began, and the completion tokens that were written. */
  tokens: { input: 0, output: 0 },
  /** The billed characters of speech, the billed ms of transcribed audio, and the sum of the prices in micro-units. */
  billed: { characters: 0, audioMilliseconds: 0, micros: 0 },
});
export type MockCounters = ReturnType<typeof emptyMockCounters>;

/**
 * Returns the counters by name, for the control port. Faults that never occurred are left out. `received` is the sum of
 * `completed`, `limited`, `refused`, `faulted`, `aborted`, `cut` and `inFlight`. `completed`, `limited`, `refused` and
 * `faulted` are sums of more detailed counters.
 */
export const flattenCounters = (counters: MockCounters): Record<string, number> => {
  const { received, preflights, admitted, ended, tokens, billed } = counters;
  const sum = (prefix: string): number =>
    ends.reduce((total, end) => total + (end.startsWith(prefix) ? ended[end] : 0), 0);
  const shownEnds = Object.entries(ended).filter(
    ([end, count]) => count > 0 || !end.startsWith('faulted.'),
  );
  return {
    received,
    admitted: routeNames.reduce((total, route) => total + admitted[route], 0),
    ...Object.fromEntries(routeNames.map((route) => [`admitted.${route}`, admitted[route]])),
    completed: sum('completed.'),
    limited: sum('limited.'),
    refused: sum('refused.'),
    faulted: sum('faulted.'),
    ...Object.fromEntries(shownEnds),
    inFlight: received - sum(''),
    preflights,
    'tokens.input': tokens.input,
    'tokens.output': tokens.output,
    characters: billed.characters,
    audioMilliseconds: billed.audioMilliseconds,
    'cost.micros': billed.micros,
  };
};

/** The last `capacity` items of a sequence of any length. */
export class RecentItems<Item> {
  #capacity: number;
  /** Up to twice `#capacity` items, so that the list is seldom shortened. */
  #items: Item[] = [];
  #added = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get dropped(): number {
    return this.#added - this.items().length;
  }

  add(item: Item): void {
    this.#added += 1;
    if (this.#items.push(item) >= 2 * this.#capacity) this.#items = this.items();
  }

  /** Returns the last items, beginning with the oldest item. */
  items(): Item[] {
    return this.#items.slice(-this.#capacity);
  }

  resize(capacity: number): void {
    this.#items = this.items().slice(-capacity);
    this.#capacity = capacity;
  }
}

/** One charge: quantities by name, and their price in whole micro-units. */
export interface CreditCharge {
  readonly kind: 'chat' | 'chat-stream' | 'speech' | 'transcription';
  readonly quantities: Readonly<Record<string, number>>;
  readonly micros: number;
}

interface CreditLedgerEntry extends CreditCharge {
  readonly requestId: string;
  /** The key's index in the settings. The ledger contains no keys. */
  readonly key: number;
  /** The key's balance after the charge, in micro-units; `null` if the key has no limit. */
  readonly balance: number | null;
}

/** Opens the balance of each key, and the ledger. All sums are integers, so they are exact. */
export const openCreditAccounts = ({ ledger: listed, balance: initial }: MockCredits) => {
  const recent = new RecentItems<CreditLedgerEntry>(listed);
  const spent = new Map<number, number>();
  let initialBalance = initial;
  let charges = 0;
  let micros = 0;
  /**
   * Returns the balance in micro-units; `null` if the key has no limit. The balance is below zero if the last charge
   * was larger than the balance before it.
   */
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
    /** Resets the balance of every key. The ledger stays unchanged. */
    setBalance: (changed: number | null): void => {
      initialBalance = changed;
      spent.clear();
    },
    setLedgerSize: (entries: number): void => recent.resize(entries),
    /**
     * Returns the ledger for the control port: the last entries, the number of entries that were dropped, and the sums
     * over all entries.
     */
    ledger: () => ({ charges, micros, dropped: recent.dropped, entries: recent.items() }),
  };
};

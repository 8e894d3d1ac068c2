import { type Allowance, freshAllowance, type Levels } from './allowance.ts';
import { type Books, openBooks } from './credits.ts';
import type { Exchange } from './exchange.ts';
import { type Chooser, openChooser } from './faults/choose.ts';
import type { Settings } from './settings.ts';
import { emptyTally, type Tally } from './tally.ts';

/** What is counted together: a reset begins a new era, and what is in flight then stays with the old one. */
export interface Era {
  readonly tally: Tally;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly books: Books;
  readonly chooseFault: Chooser;
}

const fullAllowances = ({ keys, limits }: Settings): Era['allowances'] =>
  new Map(keys.map((key) => [key, freshAllowance(limits)]));

/** Nothing counted, limits and credits full. */
export const beginEra = (settings: Settings): Era => ({
  tally: emptyTally(),
  allowances: fullAllowances(settings),
  books: openBooks(settings.credits),
  chooseFault: openChooser(settings),
});

/** The same counts under changed settings: changed limits begin full, a changed balance is given anew, changed faults count from the start. */
export const continueEra = (era: Era, before: Settings, after: Settings): Era => {
  if (before.credits.balance !== after.credits.balance) era.books.refill(after.credits.balance);
  const isSame = (field: 'limits' | 'faults' | 'faultHeader'): boolean =>
    JSON.stringify(before[field]) === JSON.stringify(after[field]);
  return {
    ...era,
    ...(isSame('limits') ? {} : { allowances: fullAllowances(after) }),
    ...(isSame('faults') && isSame('faultHeader') ? {} : { chooseFault: openChooser(after) }),
  };
};

/** A key by its place in the settings, what it has under way, and what is left to it. */
export interface KeyState {
  readonly key: number;
  readonly inFlight: number;
  readonly limits: Levels;
  /** Micro-units; `null` without a limit. */
  readonly balance: number | null;
}

/** The state of every key, in the order of the settings. */
export const keyStates = (
  { allowances, books }: Era,
  open: ReadonlySet<Exchange>,
  now: number,
): readonly KeyState[] =>
  [...allowances.values()].map((allowance, key) => ({
    key,
    inFlight: [...open].filter((exchange) => exchange.isOpen && exchange.owner === key).length,
    limits: allowance.levels(now),
    balance: books.balance(key),
  }));

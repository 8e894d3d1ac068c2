import { type CompleteLimits, completeLimits } from '../model/mock-limits.ts';
import type { MockClock } from './clock.ts';
import { type Allowance, freshAllowance, type Levels } from './limits/allowance.ts';
import { openServing, type Serving } from './serving/serving.ts';
import { type Books, openBooks } from './credits.ts';
import type { Exchange } from './exchange.ts';
import { type Chooser, openChooser } from './faults/choose.ts';
import type { Settings } from './settings.ts';
import { emptyTally, type Tally } from './tally.ts';

/** What is counted together: a reset begins a new era, and what is in flight then stays with the old one. */
export interface Era {
  readonly tally: Tally;
  readonly limits: CompleteLimits;
  readonly allowances: ReadonlyMap<string, Allowance>;
  readonly serving: Serving;
  readonly books: Books;
  readonly chooseFault: Chooser;
}

const openLimits = ({ keys, limits: set }: Settings, clock: MockClock) => {
  const limits = completeLimits(set);
  // Windows on the clock begin where the wall clock's begin.
  const phase = (clock.now() - clock.wall()) % limits.window;
  return { limits, allowances: new Map(keys.map((key) => [key, freshAllowance(limits, phase)])) };
};

/** Nothing counted, limits and credits full. */
export const beginEra = (settings: Settings, clock: MockClock): Era => ({
  tally: emptyTally(),
  ...openLimits(settings, clock),
  serving: openServing(settings, clock),
  books: openBooks(settings.credits),
  chooseFault: openChooser(settings),
});

/** The same counts under changed settings: changed limits begin full, a changed balance is given anew, changed servers begin empty, changed faults count from the start. */
export const continueEra = (
  era: Era,
  { before, after }: { readonly before: Settings; readonly after: Settings },
  clock: MockClock,
): Era => {
  if (before.credits.balance !== after.credits.balance) era.books.refill(after.credits.balance);
  if (before.credits.ledger !== after.credits.ledger) era.books.list(after.credits.ledger);
  const areSame = (...fields: readonly (keyof Settings)[]): boolean =>
    fields.every((field) => JSON.stringify(before[field]) === JSON.stringify(after[field]));
  return {
    ...era,
    ...(areSame('limits') ? {} : openLimits(after, clock)),
    ...(areSame('latency', 'ttft', 'gap') ? {} : { serving: openServing(after, clock) }),
    ...(areSame('faults', 'faultHeader') ? {} : { chooseFault: openChooser(after) }),
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

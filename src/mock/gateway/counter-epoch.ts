import { type ResolvedMockLimits, resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import { type KeyLimiter, openKeyLimiter, type LimitLevels } from '../limits/key-limiter.ts';
import { openServing, type Serving } from '../serving/serving.ts';
import { type CreditAccounts, openCreditAccounts } from '../counters/credit-accounts.ts';
import type { MockExchange } from '../http/mock-exchange.ts';
import { type FaultChooser, openFaultChooser } from '../faults/choose-fault.ts';
import type { Settings } from '../settings/settings.ts';
import { emptyMockCounters, type MockCounters } from '../counters/mock-counters.ts';

/** What is counted together: a reset begins a new era, and what is in flight then stays with the old one. */
export interface CounterEpoch {
  readonly counters: MockCounters;
  readonly limits: ResolvedMockLimits;
  readonly keyLimiters: ReadonlyMap<string, KeyLimiter>;
  readonly serving: Serving;
  readonly creditAccounts: CreditAccounts;
  readonly chooseFault: FaultChooser;
}

const openKeyLimiters = ({ keys, limits: set }: Settings, clock: MockClock) => {
  const limits = resolveMockLimits(set);
  // Windows on the clock begin where the wall clock's begin.
  const phase = (clock.now() - clock.wall()) % limits.window;
  return { limits, keyLimiters: new Map(keys.map((key) => [key, openKeyLimiter(limits, phase)])) };
};

/** Nothing counted, limits and credits full. */
export const startCounterEpoch = (settings: Settings, clock: MockClock): CounterEpoch => ({
  counters: emptyMockCounters(),
  ...openKeyLimiters(settings, clock),
  serving: openServing(settings, clock),
  creditAccounts: openCreditAccounts(settings.credits),
  chooseFault: openFaultChooser(settings),
});

/** The same counts under changed settings: changed limits begin full, a changed balance is given anew, changed servers begin empty, changed faults count from the start. */
export const applySettingsChange = (
  epoch: CounterEpoch,
  { before, after }: { readonly before: Settings; readonly after: Settings },
  clock: MockClock,
): CounterEpoch => {
  if (before.credits.balance !== after.credits.balance)
    epoch.creditAccounts.setBalance(after.credits.balance);
  if (before.credits.ledger !== after.credits.ledger)
    epoch.creditAccounts.setLedgerSize(after.credits.ledger);
  const isUnchanged = (...fields: readonly (keyof Settings)[]): boolean =>
    fields.every((field) => JSON.stringify(before[field]) === JSON.stringify(after[field]));
  return {
    ...epoch,
    ...(isUnchanged('limits') ? {} : openKeyLimiters(after, clock)),
    ...(isUnchanged('latency', 'ttft', 'gap') ? {} : { serving: openServing(after, clock) }),
    ...(isUnchanged('faults', 'faultHeader') ? {} : { chooseFault: openFaultChooser(after) }),
  };
};

/** A key by its place in the settings, what it has under way, and what is left to it. */
export interface KeyState {
  readonly key: number;
  readonly inFlight: number;
  readonly limits: LimitLevels;
  /** Micro-units; `null` without a limit. */
  readonly balance: number | null;
}

/** The state of every key, in the order of the settings. */
export const keyStates = (
  { keyLimiters, creditAccounts }: CounterEpoch,
  open: ReadonlySet<MockExchange>,
  now: number,
): readonly KeyState[] =>
  [...keyLimiters.values()].map((allowance, key) => ({
    key,
    inFlight: [...open].filter((exchange) => exchange.isOpen && exchange.keyIndex === key).length,
    limits: allowance.levels(now),
    balance: creditAccounts.balance(key),
  }));

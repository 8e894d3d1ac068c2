import { resolveMockLimits } from '../../model/gateway/mock-limits.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import { openKeyLimiter } from '../limits/key-limiter.ts';
import { openServing } from '../serving/serving.ts';
import { openCreditAccounts } from '../counters/credit-accounts.ts';
import { openFaultChooser } from '../faults/choose-fault.ts';
import type { Settings } from '../settings/settings.ts';
import { emptyMockCounters } from '../counters/mock-counters.ts';

const openKeyLimiters = ({ keys, limits: limitSettings }: Settings, clock: MockClock) => {
  const limits = resolveMockLimits(limitSettings);
  // Aligned windows begin with those of the wall clock.
  const phase = (clock.now() - clock.wall()) % limits.window;
  return { limits, keyLimiters: new Map(keys.map((key) => [key, openKeyLimiter(limits, phase)])) };
};

/** An epoch with nothing counted, and full limits and credits. */
export const startCounterEpoch = (settings: Settings, clock: MockClock) => ({
  counters: emptyMockCounters(),
  ...openKeyLimiters(settings, clock),
  serving: openServing(settings, clock),
  creditAccounts: openCreditAccounts(settings.credits),
  chooseFault: openFaultChooser(settings),
});

/** State between two resets; requests in flight at a reset stay with the old epoch. */
export type CounterEpoch = ReturnType<typeof startCounterEpoch>;

/** The same epoch under changed settings: changed limits start full, a changed balance is reset, changed servers start empty, changed faults count from zero. */
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

import type { ExitName } from '../../run/output/exit-codes.ts';
import type { PolicyRecovery } from './model/recovery-report.ts';

/** Returns the exit of an examination. The examination passes only if the target is surely back with every policy. */
export const exitForRecovery = ({
  policies,
}: {
  readonly policies: readonly Pick<PolicyRecovery, 'state'>[];
}): ExitName => {
  const states = policies.map(({ state }) => state);
  if (states.some((state) => state === 'kept' || state === 'stuck')) return 'objective';
  return states.includes('unknown') ? 'inconclusive' : 'pass';
};

import type { FinishedRun } from '../../run/run.ts';

/** Why a run of a series does not count; `null` if it counts. */
export const exclusionReason = (run: Pick<FinishedRun, 'trust' | 'exit'>): string | null => {
  const { level: trusted, evidence } = run.trust;
  if (trusted !== 'invalid') return run.exit === 'invalid' ? 'nothing succeeded' : null;
  const signals = evidence
    .filter(({ decides, level }) => decides && level === 'invalid')
    .map(({ signal, observed }) => `${signal}: ${observed}`);
  return `INVALID (${signals.join('; ')})`;
};

export interface ExcludedRun {
  readonly folder: string;
  readonly reason: string;
}

export const excludedRunLines = (
  runs: readonly ExcludedRun[],
  { of, isAllowed }: { readonly of: number; readonly isAllowed: boolean },
): readonly string[] => {
  if (runs.length === 0) return [];
  const verb = runs.length === 1 ? 'does' : 'do';
  const end = isAllowed ? 'and --allow-different lets them pass' : 'hence exit code 12';
  return [
    `${runs.length} of ${of} runs ${verb} not count, ${end}:`,
    ...runs.map(({ folder, reason }) => `  ${folder}: ${reason}.`),
  ];
};

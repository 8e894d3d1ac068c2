import type { Ran } from './run.ts';

/** Why a run of several is no evidence; `null` for one that counts. */
export const uncounted = ({ trust, exit }: Pick<Ran, 'trust' | 'exit'>): string | null => {
  if (trust.level === 'invalid') {
    const grounds = trust.evidence.filter(({ level }) => level === 'invalid');
    return `the generator could not keep up (${grounds.map(({ signal, observed }) => `${signal}: ${observed}`).join('; ')})`;
  }
  return exit === 'invalid' ? 'nothing succeeded' : null;
};

/** A run that does not count: its folder, and why. */
export interface Uncounted {
  readonly folder: string;
  readonly reason: string;
}

/** What is said of them when all runs are over; nothing where all count. */
export const uncountedLines = (
  runs: readonly Uncounted[],
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

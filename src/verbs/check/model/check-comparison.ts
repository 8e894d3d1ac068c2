import type { CheckProfile } from './check-choices.ts';
import type { CheckRow } from './check-report.ts';

/** What changed between two checks of an interface. */

/** How a check changed, the gravest first, each with its meaning. */
export const checkChanges = {
  worse: 'breaks or deviates now, or more than before',
  lost: 'was decided before, and is not now',
  new: 'deviates, and was not among the checks before',
  better: 'breaks or deviates no more, or less than before',
  other: 'another deviation, or decided now',
} as const;
export type CheckChange = keyof typeof checkChanges;

export interface ChangedCheck {
  readonly id: string;
  readonly change: CheckChange;
  /** `null` if only the other side has it. */
  readonly before: CheckRow | null;
  readonly after: CheckRow | null;
}

interface ComparedCheck {
  readonly target: string;
  readonly startedAt: string;
  readonly profile: CheckProfile;
}

/** `comparison.json` of two checks. */
export interface CheckComparison {
  readonly format: 'check-comparison/1';
  readonly weir: string;
  readonly before: ComparedCheck;
  readonly after: ComparedCheck;
  /** Checks that are the same on both sides. */
  readonly same: number;
  readonly changes: readonly ChangedCheck[];
  /** What makes the two less comparable: other models, another profile, an early end. */
  readonly notes: readonly string[];
}

import type { Plan, Target } from '../../model/plan/plan.ts';
import { sumOutcomes } from '../../model/measures/outcome-counts.ts';
import { groupsMatching, outsideWarmUp, missingSlices } from '../../model/result/summary.ts';
import type { Repetition } from './repetition.ts';

/** A reason why a run is neither compared nor stored in the history. The message does not end with a full stop. */
export interface UnusableRun {
  /** The subject of the reason. `success` means that no request completed, so there is nothing to compare. */
  readonly what: 'validity' | 'success';
  readonly message: string;
}

const addressOf = (target: Target): string => (target.kind === 'url' ? target.url : target.kind);

/** Returns the target of a plan. The port of a reference gateway is left out, since the port differs in every run. */
export const targetOf = ({ target, targets }: Pick<Plan, 'target' | 'targets'>): string =>
  targets === undefined
    ? addressOf(target)
    : targets.map((each) => `${each.name} ${addressOf(each.target)}`).join(', ');

export const unusableRunReason = ({ file, result, trust }: Repetition): UnusableRun | null => {
  if (sumOutcomes(groupsMatching(result, outsideWarmUp)).completed === 0) {
    return { what: 'success', message: `${file} has no completed requests` };
  }
  const invalid = (words: string): UnusableRun => ({
    what: 'validity',
    message: `${file} ${words}`,
  });
  if (missingSlices(result).length > 0)
    return invalid('has missing slices: merge all slices first');
  if (result.partial !== null) return invalid(`is partial: ${result.partial}`);
  return trust.level === 'invalid' ? invalid('does not count: its load was not as planned') : null;
};

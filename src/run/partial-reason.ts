import { timeText } from '../report/text/number-text.ts';
import type { DrivenSlice } from './drive.ts';

/** Why the load ended before the end of its plan, as a sentence. */
const stopReason = (driven: DrivenSlice): string | null => {
  const { stoppedBy, isCutShort, breach, exhaustedBudget, lostLease, loadEnded } = driven;
  if (breach !== null) {
    return `ended after ${timeText(breach.at)}, since the objective ${breach.text} was broken`;
  }
  if (exhaustedBudget !== null) {
    return `ended after ${timeText(loadEnded)}, since the next request might have passed budget.${exhaustedBudget}`;
  }
  if (lostLease) return `ended after ${timeText(loadEnded)}, since the coordinator was silent`;
  if (stoppedBy === null) return null;
  return isCutShort
    ? `stopped by ${stoppedBy} before the load had ended`
    : `stopped by ${stoppedBy} while waiting for the last answers`;
};

export const partialReason = (driven: DrivenSlice): string | null => {
  const reasons = [stopReason(driven), ...driven.lostSlices].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
};

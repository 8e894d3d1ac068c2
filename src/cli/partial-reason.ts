import { timeText } from '../report/number-text.ts';
import type { Driven } from './drive.ts';

/** Why the load ended before its plan did, in a sentence. */
const stopReason = ({ stoppedBy, cut, breach, spent, loadEnded }: Driven): string | null => {
  if (breach !== null) {
    return `ended after ${timeText(breach.at)}, since the objective ${breach.text} was broken`;
  }
  if (spent !== null) {
    return `ended after ${timeText(loadEnded)}, since the next request might have passed budget.${spent}`;
  }
  if (stoppedBy === null) return null;
  return cut
    ? `stopped by ${stoppedBy} before the load had ended`
    : `stopped by ${stoppedBy} while the last answers were awaited`;
};

/** Why a run is not the whole of its plan, in sentences. */
export const partialReason = (driven: Driven): string | null => {
  const reasons = [stopReason(driven), ...driven.lost].filter((reason) => reason !== null);
  return reasons.length === 0 ? null : reasons.join('; ');
};

import type { Driven } from './drive.ts';

/** Why a run is not the whole of its plan, in a sentence. */
export const partialReason = ({
  stoppedBy,
  cut,
  breach,
  spent,
  loadEnded,
}: Driven): string | null => {
  if (breach !== null) {
    return `ended after ${Math.round(breach.at / 1000)} s, since the objective ${breach.text} was broken`;
  }
  if (spent !== null) {
    return `ended after ${Math.round(loadEnded / 1000)} s, since the next request might have passed budget.${spent}`;
  }
  if (stoppedBy === null) return null;
  return cut
    ? `stopped by ${stoppedBy} before the load had ended`
    : `stopped by ${stoppedBy} while the last answers were awaited`;
};

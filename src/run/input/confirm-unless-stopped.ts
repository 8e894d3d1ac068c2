import { followStops } from './follow-stops.ts';
import { confirmBudget, type Host } from './host.ts';

/** Works like `confirmBudget`, for a command that has opened nothing so far. A request to stop ends the question. */
export const confirmUnlessStopped = async (host: Host, cancelMessage: string): Promise<void> => {
  const stops = followStops(host.onStop, () => undefined);
  try {
    await stops.unlessStopped(confirmBudget(host, cancelMessage), null);
  } finally {
    stops.release();
  }
};

import { followStops } from './follow-stops.ts';
import { confirmBudget, type Host } from './host.ts';

/** Works like `confirmBudget`, for a command that opens nothing before: a request to stop ends it meanwhile. */
export const confirmUnlessStopped = async (host: Host, cancelMessage: string): Promise<void> => {
  const stops = followStops(host.onStop, () => undefined);
  try {
    await stops.unlessStopped(confirmBudget(host, cancelMessage), null);
  } finally {
    stops.release();
  }
};

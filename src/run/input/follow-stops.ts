import { waitAtMost } from '../../platform/wait-at-most.ts';
import { Problem } from '../../platform/problem.ts';
import type { OnStop, StopCause } from './host.ts';

/** An error: the user stopped a command before its load began. */
export class StoppedBeforeLoad extends Problem {
  override readonly kind = 'stopped';
  readonly stoppedBy: StopCause;
  constructor(stoppedBy: StopCause) {
    super(`stopped by ${stoppedBy} before the load began`);
    this.stoppedBy = stoppedBy;
  }
}

/** The maximum time for opened parts to close after the user stops the command, in ms. */
const closeTimeout = 5000;

export interface FollowedStops {
  /**
   * Works like the host's `onStop`, with one difference: a listener is called at once if a request to stop came before
   * the listener was added.
   */
  readonly onStop: OnStop;
  /**
   * Waits for work that can be undone. If a request to stop comes before the work is done, waits for the work, calls
   * `undo` with the result of the work, and throws `StoppedBeforeLoad`. The wait takes at most five seconds. If `undo`
   * is `null`, throws at once.
   */
  readonly unlessStopped: <T>(
    work: Promise<T>,
    undo: ((opened: T) => Promise<void>) | null,
  ) => Promise<T>;
  /**
   * Adds a request to stop that does not come from the host. This request has the same effect as a request from the
   * host.
   */
  readonly request: (by: StopCause) => void;
  readonly release: () => void;
}

/**
 * Receives requests to stop until `release` is called, so a signal does not end the process directly. A request before
 * the load ends the opening of the run. A request during the load ends the load, and the reports are written.
 */
export const followStops = (onStop: OnStop, whenNobodyListens: () => void): FollowedStops => {
  const first = Promise.withResolvers<StopCause>();
  const listeners = new Set<(cause: StopCause, times: number) => void>();
  let cause: StopCause | null = null;
  let times = 0;
  let isOpening = false;
  const request = (by: StopCause): void => {
    cause ??= by;
    times += 1;
    first.resolve(cause);
    if (listeners.size === 0 && !isOpening) whenNobodyListens();
    for (const listener of listeners) listener(cause, times);
  };
  const release = onStop(request);
  return {
    release,
    request,
    onStop: (listener) => {
      listeners.add(listener);
      queueMicrotask(() => {
        if (cause !== null && listeners.has(listener)) listener(cause, times);
      });
      return () => listeners.delete(listener);
    },
    unlessStopped: async (work, undo) => {
      isOpening = true;
      const stopped = first.promise.then((by) => ({ by }));
      const ended = await Promise.race([stopped, work.then((opened) => ({ opened }))]);
      isOpening = false;
      if ('opened' in ended) return ended.opened;
      const undone = undo === null ? Promise.resolve() : work.then(undo);
      await waitAtMost(closeTimeout, undone).catch(() => undefined);
      throw new StoppedBeforeLoad(ended.by);
    },
  };
};

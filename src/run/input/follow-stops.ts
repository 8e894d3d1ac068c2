import { waitAtMost } from '../../platform/wait-at-most.ts';
import { Problem } from '../../platform/problem.ts';
import type { OnStop, StopCause } from './host.ts';

/** The user stopped a command before its load began. */
export class StoppedBeforeLoad extends Problem {
  readonly stoppedBy: StopCause;
  constructor(stoppedBy: StopCause) {
    super(`stopped by ${stoppedBy} before the load began`);
    this.stoppedBy = stoppedBy;
  }
}

/** How long the parts opened by a start that was stopped may take to close, in ms. */
const closeTimeout = 5000;

/** The requests to stop that one command receives. */
export interface FollowedStops {
  /** Works as the host's `onStop`, but a listener that is added after a request is called at once. */
  readonly onStop: OnStop;
  /**
   * Waits for work that nothing depends on yet. If a stop comes first, throws `StoppedBeforeLoad` as soon as `undo` has
   * undone the work, or after five seconds. If there is nothing to undo (`null`), throws at once.
   */
  readonly unlessStopped: <T>(
    work: Promise<T>,
    undo: ((opened: T) => Promise<void>) | null,
  ) => Promise<T>;
  /** Adds a request to stop that does not come from the host but counts like one. */
  readonly request: (by: StopCause) => void;
  readonly release: () => void;
}

/**
 * Receives requests to stop until `release`, so that a signal never ends the process by itself. A request makes the
 * command end its opening, or end its load and write its reports.
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

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

/** After the user stops the command, whatever it has opened may take this long to close, in ms. */
const closeTimeout = 5000;

export interface FollowedStops {
  /** Works like the host's `onStop`, but also calls a listener that is added after a request to stop. */
  readonly onStop: OnStop;
  /**
   * Waits for `work`. If a request to stop comes first, waits at most five seconds for `work` and then for `undo` with
   * the result of `work`, and throws `StoppedBeforeLoad`. If `undo` is `null`, throws at once.
   */
  readonly unlessStopped: <T>(
    work: Promise<T>,
    undo: ((opened: T) => Promise<void>) | null,
  ) => Promise<T>;
  /** Stops the run as a request to stop from the host does. */
  readonly request: (by: StopCause) => void;
  readonly release: () => void;
}

/**
 * Receives stop requests (such as signals) until `release` is called, so no signal ends the process directly. A stop
 * request before the load aborts the opening of the run. During the load, it ends the load, and reports are written.
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

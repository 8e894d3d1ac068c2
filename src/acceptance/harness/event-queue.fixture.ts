import type { Clock } from '../../model/clock.ts';
import { instant } from '../../model/quantity.ts';

interface QueuedEvent {
  readonly at: number;
  readonly run: () => void;
  isCancelled: boolean;
}

/** Events in the order of their times, then in the order in which they were added. */
export class EventQueue {
  now = 0;
  readonly #events: QueuedEvent[] = [];

  at(at: number, run: () => void): () => void {
    const event = { at, run, isCancelled: false };
    // Most events are later than all others.
    let place = this.#events.length;
    while (place > 0 && this.#events[place - 1]!.at > at) place -= 1;
    this.#events.splice(place, 0, event);
    return () => {
      event.isCancelled = true;
    };
  }

  /** Runs the next event; false when there is none. */
  step(): boolean {
    let next = this.#events.shift();
    while (next?.isCancelled === true) next = this.#events.shift();
    if (next === undefined) return false;
    this.now = Math.max(this.now, next.at);
    next.run();
    return true;
  }
}

export const queueClock = (queue: EventQueue): Clock => ({
  now: () => instant(queue.now),
  read: () => instant(queue.now),
  every: (milliseconds, tick) => {
    let cancel = (): void => undefined;
    const scheduleNext = (): void => {
      cancel = queue.at(queue.now + milliseconds, () => {
        scheduleNext();
        tick();
      });
    };
    scheduleNext();
    return () => cancel();
  },
  alarm: (ring) => {
    let cancel = (): void => undefined;
    let target: number | null = null;
    return {
      set: (at) => {
        if (at === target) return;
        cancel();
        target = at;
        if (at === null) return;
        cancel = queue.at(Math.max(at, queue.now), () => {
          target = null;
          ring();
        });
      },
      stop: () => cancel(),
    };
  },
});

/** Runs events, and lets promises settle between them, until the work is done. */
export const runUntilSettled = async <T>(queue: EventQueue, work: Promise<T>): Promise<T> => {
  const progress = { isDone: false };
  const settled = work.finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!progress.isDone && !queue.step()) throw new Error('the work waits, but no event is left');
  }
  return settled;
};

/** Runs events, many in one turn, until the work is done: for work that waits for no promise before its end. */
export const runInTurns = async <T>(queue: EventQueue, work: Promise<T>): Promise<T> => {
  const progress = { isDone: false };
  const settled = work.finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone) {
    for (let event = 0; event < 500 && queue.step(); event += 1);
    await new Promise((resolve) => setImmediate(resolve));
  }
  return settled;
};

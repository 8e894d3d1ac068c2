import type { MovableClock } from './clock.ts';

/** A clock for tests, which also tells what waits for it. */
export interface HandClock extends MovableClock {
  /** How many deadlines are waiting. */
  readonly waiting: number;
  /** Resolves as soon as at least `count` deadlines are waiting. */
  armed(count?: number): Promise<void>;
}

interface Deadline {
  readonly due: number;
  readonly run: () => void;
}

/** A clock moved by hand; its monotonic scale begins at 0, its wall clock at `wall` (ms since 1970, UTC). */
export const handClock = (wall: number): HandClock => {
  let time = 0;
  const deadlines = new Set<Deadline>();
  const watchers = new Set<() => void>();

  const earliest = (until: number): Deadline | undefined => {
    let first: Deadline | undefined;
    for (const deadline of deadlines) {
      if (deadline.due <= until && (first === undefined || deadline.due < first.due)) {
        first = deadline;
      }
    }
    return first;
  };

  return {
    now: () => time,
    wall: () => wall + time,
    at: (due, run) => {
      const deadline = { due, run };
      deadlines.add(deadline);
      for (const look of watchers) look();
      return () => void deadlines.delete(deadline);
    },
    advance: (milliseconds) => {
      const until = time + milliseconds;
      for (let next = earliest(until); next !== undefined; next = earliest(until)) {
        time = Math.max(time, next.due);
        deadlines.delete(next);
        next.run();
      }
      time = until;
    },
    get waiting() {
      return deadlines.size;
    },
    armed: (count = 1) =>
      new Promise((tell) => {
        const look = (): void => {
          if (deadlines.size < count) return;
          watchers.delete(look);
          tell();
        };
        watchers.add(look);
        look();
      }),
  };
};

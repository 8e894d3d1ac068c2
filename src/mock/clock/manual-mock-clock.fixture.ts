import { type AdjustableMockClock, once, type Recurring } from './mock-clock.ts';

/** A manual clock for tests that lists its pending calls. */
export interface ManualMockClock extends AdjustableMockClock {
  /** The number of waiting deadlines. */
  readonly waiting: number;
  /** Resolves as soon as at least `count` deadlines are waiting. */
  whenWaiting(count?: number): Promise<void>;
}

interface Deadline {
  due: number;
  readonly recurring: Recurring;
  isCancelled: boolean;
}

/** Returns the first deadline that is due by an instant. */
const earliestOf = (deadlines: ReadonlySet<Deadline>, until: number): Deadline | undefined => {
  let first: Deadline | undefined;
  for (const deadline of deadlines) {
    if (deadline.due <= until && (first === undefined || deadline.due < first.due)) {
      first = deadline;
    }
  }
  return first;
};

/** Wakes those who wait for deadlines when one is added. */
const watchDeadlines = (deadlines: ReadonlySet<Deadline>) => {
  const watchers = new Set<() => void>();
  return {
    wake: (): void => {
      for (const check of watchers) check();
    },
    whenWaiting: (count = 1): Promise<void> =>
      new Promise((resolve) => {
        const check = (): void => {
          if (deadlines.size < count) return;
          watchers.delete(check);
          resolve();
        };
        watchers.add(check);
        check();
      }),
  };
};

/** A manual clock. Its monotonic scale begins at 0, its wall clock at `wall` (ms since 1970, UTC). */
export const manualMockClock = (wall: number): ManualMockClock => {
  let time = 0;
  const deadlines = new Set<Deadline>();
  const { wake, whenWaiting } = watchDeadlines(deadlines);

  const add = (deadline: Deadline): void => {
    deadlines.add(deadline);
    wake();
  };
  const series: ManualMockClock['series'] = (due, recurring) => {
    const deadline = { due, recurring, isCancelled: false };
    add(deadline);
    return () => {
      deadline.isCancelled = true;
      deadlines.delete(deadline);
    };
  };

  return {
    now: () => time,
    wall: () => wall + time,
    at: (due, run) => series(due, once(run)),
    series,
    atEndOfTurn: (run) => run(),
    advance: (milliseconds) => {
      const until = time + milliseconds;
      const first = (): Deadline | undefined => earliestOf(deadlines, until);
      for (let next = first(); next !== undefined; next = first()) {
        time = Math.max(time, next.due);
        deadlines.delete(next);
        const nextDue = next.recurring.run();
        if (nextDue === null || next.isCancelled) continue;
        next.due = nextDue;
        add(next);
      }
      time = until;
    },
    get waiting() {
      return deadlines.size;
    },
    whenWaiting,
  };
};

import { type MovableClock, once, type Recurring } from './clock.ts';

/** A clock for tests, which also tells what waits for it. */
export interface HandClock extends MovableClock {
  /** How many deadlines are waiting. */
  readonly waiting: number;
  /** Resolves as soon as at least `count` deadlines are waiting. */
  armed(count?: number): Promise<void>;
}

interface Deadline {
  due: number;
  readonly recurring: Recurring;
  isOff: boolean;
}

/** The first that is due by then. */
const earliestOf = (deadlines: ReadonlySet<Deadline>, until: number): Deadline | undefined => {
  let first: Deadline | undefined;
  for (const deadline of deadlines) {
    if (deadline.due <= until && (first === undefined || deadline.due < first.due)) {
      first = deadline;
    }
  }
  return first;
};

/** Who waits for deadlines, and what wakes them when one was added. */
const watchOf = (deadlines: ReadonlySet<Deadline>) => {
  const watchers = new Set<() => void>();
  return {
    wake: (): void => {
      for (const look of watchers) look();
    },
    armed: (count = 1): Promise<void> =>
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

/** A clock moved by hand; its monotonic scale begins at 0, its wall clock at `wall` (ms since 1970, UTC). */
export const handClock = (wall: number): HandClock => {
  let time = 0;
  const deadlines = new Set<Deadline>();
  const { wake, armed } = watchOf(deadlines);

  const add = (deadline: Deadline): void => {
    deadlines.add(deadline);
    wake();
  };
  const series: HandClock['series'] = (due, recurring) => {
    const deadline = { due, recurring, isOff: false };
    add(deadline);
    return () => {
      deadline.isOff = true;
      deadlines.delete(deadline);
    };
  };

  return {
    now: () => time,
    wall: () => wall + time,
    at: (due, run) => series(due, once(run)),
    series,
    atTurnsEnd: (run) => run(),
    advance: (milliseconds) => {
      const until = time + milliseconds;
      const first = (): Deadline | undefined => earliestOf(deadlines, until);
      for (let next = first(); next !== undefined; next = first()) {
        time = Math.max(time, next.due);
        deadlines.delete(next);
        const again = next.recurring.run();
        if (again === null || next.isOff) continue;
        next.due = again;
        add(next);
      }
      time = until;
    },
    get waiting() {
      return deadlines.size;
    },
    armed,
  };
};

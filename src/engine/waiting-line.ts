import type { Instant } from '../model/quantity.ts';

/** A user and the moment from which it is ready to ask. */
export interface Ready {
  readonly user: number;
  readonly due: Instant;
}

/** Those who are ready or thinking, in order of their due instants. */
export interface WaitingLine {
  add(ready: Ready): void;
  /** The first, if it is due at `now`; it leaves the line. */
  take(now: Instant): Ready | null;
  clear(): void;
  readonly empty: boolean;
}

/** Places taken from the front are given back to memory after this many. */
const spent = 1024;

/**
 * A sorted queue. Users think equally long, so who returns first is ready first and nearly every
 * addition goes to the end; only reads that were told late have to move up.
 */
export const waitingLine = (first: readonly Ready[]): WaitingLine => {
  let line = first.toSorted((a, b) => a.due - b.due);
  let front = 0;
  return {
    add: (ready) => {
      let place = line.length;
      while (place > front && line[place - 1]!.due > ready.due) place -= 1;
      line.splice(place, 0, ready);
    },
    take: (now) => {
      const next = line[front];
      if (next === undefined || next.due > now) return null;
      front += 1;
      if (front > spent) {
        line = line.slice(front);
        front = 0;
      }
      return next;
    },
    clear: () => {
      line = [];
      front = 0;
    },
    get empty() {
      return front >= line.length;
    },
  };
};

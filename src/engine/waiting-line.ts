import type { Instant } from '../model/quantity.ts';

/** Whoever waits for a moment. */
export interface Waiting {
  readonly due: Instant;
}

/** Those who wait, in order of their due instants; who came first is first among equals. */
export interface WaitingLine<W extends Waiting> {
  add(waiting: W): void;
  /** Whoever is in front, due or not; it stays. */
  first(): W | null;
  /** The first, if it is due at `now`; it leaves the line. */
  take(now: Instant): W | null;
  /** Everybody in order; the line is empty afterwards. */
  clear(): readonly W[];
  readonly size: number;
}

/** Places taken from the front are given back to memory after this many. */
const spent = 1024;

/**
 * A sorted queue. Users think equally long, so who returns first is ready first and nearly every
 * addition goes to the end; the place of any other is found by halving.
 */
export const waitingLine = <W extends Waiting>(first: readonly W[] = []): WaitingLine<W> => {
  let line = first.toSorted((a, b) => a.due - b.due);
  let front = 0;
  /** The place after everybody who is not due later. */
  const placeOf = (due: Instant): number => {
    if (front === line.length || line.at(-1)!.due <= due) return line.length;
    let [low, high] = [front, line.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (line[middle]!.due <= due) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: (waiting) => {
      line.splice(placeOf(waiting.due), 0, waiting);
    },
    first: () => line[front] ?? null,
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
      const all = line.slice(front);
      line = [];
      front = 0;
      return all;
    },
    get size() {
      return line.length - front;
    },
  };
};

import type { Instant } from '../model/quantity.ts';

/** Whoever waits for a moment. */
export interface DueItem {
  readonly due: Instant;
}

/** Those who wait, in order of their due instants; who came first is first among equals. */
export interface DueQueue<W extends DueItem> {
  add(item: W): void;
  /** Whoever is in front, due or not; it stays. */
  first(): W | null;
  /** The first, if it is due at `now`; it leaves the line. */
  take(now: Instant): W | null;
  /** Everybody in order; the line is empty afterwards. */
  clear(): readonly W[];
  readonly size: number;
}

/** Places taken from the front are given back to memory after this many. */
const compactAfter = 1024;

/**
 * A sorted queue. Users think equally long, so who returns first is ready first and nearly every
 * addition goes to the end; the place of any other is found by halving.
 */
export const dueQueue = <W extends DueItem>(first: readonly W[] = []): DueQueue<W> => {
  let items = first.toSorted((a, b) => a.due - b.due);
  let front = 0;
  /** The place after everybody who is not due later. */
  const insertionIndex = (due: Instant): number => {
    if (front === items.length || items.at(-1)!.due <= due) return items.length;
    let [low, high] = [front, items.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (items[middle]!.due <= due) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return {
    add: (item) => {
      items.splice(insertionIndex(item.due), 0, item);
    },
    first: () => items[front] ?? null,
    take: (now) => {
      const next = items[front];
      if (next === undefined || next.due > now) return null;
      front += 1;
      if (front > compactAfter) {
        items = items.slice(front);
        front = 0;
      }
      return next;
    },
    clear: () => {
      const all = items.slice(front);
      items = [];
      front = 0;
      return all;
    },
    get size() {
      return items.length - front;
    },
  };
};

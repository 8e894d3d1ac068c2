import type { Instant } from '../model/quantity.ts';

export interface DueItem {
  readonly due: Instant;
}

/** Items in order of their due instants; of equals the first added comes first. */
export interface DueQueue<Item extends DueItem> {
  add(item: Item): void;
  /** The first item, due or not; it stays. */
  first(): Item | null;
  /** Removes and returns the first item if it is due at `now`. */
  take(now: Instant): Item | null;
  /** Removes and returns all items in order. */
  clear(): readonly Item[];
  readonly size: number;
}

/** The memory of taken items is released after this many. */
const compactAfter = 1024;

/**
 * A sorted queue. Users think equally long, so nearly every item is added at the end; the place of
 * any other is found by binary search.
 */
export const dueQueue = <Item extends DueItem>(first: readonly Item[] = []): DueQueue<Item> => {
  let items = first.toSorted((a, b) => a.due - b.due);
  let front = 0;
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

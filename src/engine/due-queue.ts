import type { Instant } from '../model/quantity.ts';

export interface DueItem {
  readonly due: Instant;
}

/** Once this many items have been taken, their memory is released. */
const compactAfter = 1024;

/**
 * A queue of items in the order of their due instants. Items with equal instants stay in the order of their addition.
 * All users of a load think equally long, so nearly every new item belongs at the end of the queue. For any other item,
 * a binary search finds the position.
 */
export class DueQueue<Item extends DueItem> {
  #items: Item[];
  #front = 0;

  constructor(first: readonly Item[] = []) {
    this.#items = first.toSorted((a, b) => a.due - b.due);
  }

  get size(): number {
    return this.#items.length - this.#front;
  }

  add(item: Item): void {
    this.#items.splice(this.#placeFor(item.due), 0, item);
  }

  /** Returns the first item, due or not, without removing it. */
  first(): Item | null {
    return this.#items[this.#front] ?? null;
  }

  /** Removes and returns the first item if it is due at `now`. */
  take(now: Instant): Item | null {
    const next = this.first();
    if (next === null || next.due > now) return null;
    this.#front += 1;
    if (this.#front > compactAfter) {
      this.#items = this.#items.slice(this.#front);
      this.#front = 0;
    }
    return next;
  }

  all(): readonly Item[] {
    return this.#items.slice(this.#front);
  }

  clear(): readonly Item[] {
    const all = this.all();
    this.#items = [];
    this.#front = 0;
    return all;
  }

  #placeFor(due: Instant): number {
    let [low, high] = [this.#front, this.#items.length];
    if (low === high || this.#items.at(-1)!.due <= due) return high;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#items[middle]!.due <= due) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** The last `capacity` items of a sequence of any length, in a ring. */
export class RecentItems<Item> {
  /** How many items were dropped. */
  dropped = 0;
  #capacity: number;
  #ring: Item[] = [];
  /** The index of the oldest item, once the ring is full. */
  #oldest = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  add(item: Item): void {
    if (this.#ring.length < this.#capacity) {
      this.#ring.push(item);
      return;
    }
    this.#ring[this.#oldest] = item;
    this.#oldest = (this.#oldest + 1) % this.#capacity;
    this.dropped += 1;
  }

  /** The kept items, oldest first. */
  items(): readonly Item[] {
    return [...this.#ring.slice(this.#oldest), ...this.#ring.slice(0, this.#oldest)];
  }

  /** Changes the capacity and keeps the newest items. */
  resize(capacity: number): void {
    this.dropped += Math.max(0, this.#ring.length - capacity);
    this.#ring = this.items().slice(-capacity);
    this.#capacity = capacity;
    this.#oldest = 0;
  }
}

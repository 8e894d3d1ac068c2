/** The last `capacity` items of a sequence of any length. */
export class RecentItems<Item> {
  #capacity: number;
  /** At most twice as many as are kept, so that removing the others costs little. */
  #items: Item[] = [];
  #added = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get dropped(): number {
    return this.#added - this.items().length;
  }

  add(item: Item): void {
    this.#added += 1;
    if (this.#items.push(item) >= 2 * this.#capacity) this.#items = this.items();
  }

  /** The kept items, oldest first. */
  items(): Item[] {
    return this.#items.slice(-this.#capacity);
  }

  /** Changes the capacity and keeps the newest items. */
  resize(capacity: number): void {
    this.#items = this.items().slice(-capacity);
    this.#capacity = capacity;
  }
}

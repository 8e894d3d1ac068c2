/** The last so many things of a stream of any length. */
export interface RecentItems<Item> {
  add(item: Item): void;
  /** Those that are kept, oldest first. */
  items(): readonly Item[];
  /** Keeps another number from now on; of what is kept, the newest. */
  resize(capacity: number): void;
  /** How many are no longer kept. */
  readonly dropped: number;
}

/** Keeps the last `capacity` items, in a ring that grows no further. */
export const openRecentItems = <Item>(capacity: number): RecentItems<Item> => {
  let size = capacity;
  let ring: Item[] = [];
  /** Where the oldest item is, once the ring is full. */
  let oldest = 0;
  let dropped = 0;
  const items = (): readonly Item[] => [...ring.slice(oldest), ...ring.slice(0, oldest)];
  return {
    add: (item) => {
      if (ring.length < size) {
        ring.push(item);
        return;
      }
      ring[oldest] = item;
      oldest = (oldest + 1) % size;
      dropped += 1;
    },
    items,
    resize: (newCapacity) => {
      size = newCapacity;
      dropped += Math.max(0, ring.length - size);
      ring = items().slice(-size);
      oldest = 0;
    },
    get dropped() {
      return dropped;
    },
  };
};

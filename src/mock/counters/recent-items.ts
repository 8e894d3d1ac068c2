/** The last items of a sequence of any length. */
export interface RecentItems<Item> {
  add(item: Item): void;
  /** The kept items, oldest first. */
  items(): readonly Item[];
  /** Changes the capacity and keeps the newest items. */
  resize(capacity: number): void;
  /** How many items were dropped. */
  readonly dropped: number;
}

/** Keeps the last `capacity` items in a ring. */
export const openRecentItems = <Item>(capacity: number): RecentItems<Item> => {
  let size = capacity;
  let ring: Item[] = [];
  /** The index of the oldest item, once the ring is full. */
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

/** The last so many things of a stream of any length. */
export interface Recent<Item> {
  add(item: Item): void;
  /** Those that are kept, oldest first. */
  items(): readonly Item[];
  /** How many are no longer kept. */
  readonly dropped: number;
}

/** Keeps the last `capacity` items, in a ring that grows no further. */
export const keepRecent = <Item>(capacity: number): Recent<Item> => {
  const ring: Item[] = [];
  let added = 0;
  return {
    add: (item) => {
      ring[added % capacity] = item;
      added += 1;
    },
    items: () => {
      const oldest = added > capacity ? added % capacity : 0;
      return [...ring.slice(oldest), ...ring.slice(0, oldest)];
    },
    get dropped() {
      return Math.max(0, added - capacity);
    },
  };
};

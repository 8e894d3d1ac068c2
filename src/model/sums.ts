/** Adds up the values that `of` returns for the items. Without `of`, adds up the items as numbers. */
export const sumOf = <Item>(
  items: readonly Item[],
  of: (item: Item, place: number) => number = Number,
): number => items.reduce((sum, item, place) => sum + of(item, place), 0);

/** Adds up what `of` gives for each item; without `of`, the numbers themselves. */
export const sumOf = <Item>(
  items: readonly Item[],
  of: (item: Item, place: number) => number = Number,
): number => items.reduce((sum, item, place) => sum + of(item, place), 0);

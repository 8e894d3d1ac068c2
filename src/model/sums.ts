/** Adds up the values of `of` over the items, or the numbers themselves without `of`. */
export const sumOf = <Item>(
  items: readonly Item[],
  of: (item: Item, place: number) => number = Number,
): number => items.reduce((sum, item, place) => sum + of(item, place), 0);

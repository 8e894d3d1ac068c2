/** An item, or `null` or `false` if it does not apply: `[name, price !== null && priceText(price)]`. */
export type Optional<Item> = Item | null | false;

export const present = <Item>(items: readonly Optional<Item>[]): readonly Item[] =>
  items.filter((item): item is Item => item !== null && item !== false);

export const textIf = (applies: boolean, text: string): string => (applies ? text : '');

/** The 28 English voices that are there by default (interface 4.3). */
export const defaultVoices: readonly string[] = (
  'Abigail Adrian Alexander Alice Austin Axel Connor Cora Elena Eli Emily Everett Gabriel Gianna ' +
  'Henry Ian Jade Jeremiah Jordan Julian Layla Leonardo Michael Miles Olivia Ryan Taylor Thomas'
)
  .split(' ')
  .map((name) => `${name}.wav`);

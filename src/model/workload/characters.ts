/** Counts the characters of a text as the service charges them (interface, section 4.3), in Unicode code points. */
export const charactersIn = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

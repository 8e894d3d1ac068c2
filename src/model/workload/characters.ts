/**
 * Counts the characters of a text, in Unicode code points. The service charges by this count (interface, section 4.3).
 */
export const charactersIn = (text: string): number => {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
};

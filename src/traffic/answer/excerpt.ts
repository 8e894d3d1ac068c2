const maxLength = 300;

/**
 * What a server said, fit for a report: secrets masked first, white space folded, and cut after
 * 300 characters with an ellipsis.
 */
export const excerpt = (text: string, redact: (text: string) => string): string => {
  const folded = redact(text).replace(/\s+/g, ' ').trim();
  if (folded.length <= maxLength) return folded;
  // Cut between code points: half a surrogate pair is no text.
  return `${folded.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…`;
};

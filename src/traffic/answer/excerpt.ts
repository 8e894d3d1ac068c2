const maxLength = 300;

/**
 * A server's text for a report: secrets masked first, white space folded, truncated to
 * 300 characters with an ellipsis.
 */
export const excerpt = (text: string, redact: (text: string) => string): string => {
  const folded = redact(text).replace(/\s+/g, ' ').trim();
  if (folded.length <= maxLength) return folded;
  // Truncated between code points: half a surrogate pair is invalid text.
  return `${folded.slice(0, maxLength).replace(/[\ud800-\udbff]$/, '')}…`;
};

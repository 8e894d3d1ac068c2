/** How much of a text is read, and how much of the masked text is kept. */
const readAtMost = 1000;
const keptAtMost = 200;

/**
 * From the most to the least particular: what one pattern has masked, no later one can. Each is
 * linear in the text's length.
 */
const masks: readonly (readonly [RegExp, string])[] = [
  [/\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/gi, '<id>'],
  [
    /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?/g,
    '<time>',
  ],
  [/\b\d{2}:\d{2}:\d{2}(?:[.,]\d+)?\b/g, '<time>'],
  [/(['"`])(?=[^\s'"`]*\d)[^\s'"`]{1,200}\1/g, '$1<id>$1'],
  [/\b0x[0-9a-f]+\b/gi, '<id>'],
  [/\b(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}\b/gi, '<id>'],
  // A run of ten letters and digits, both among them: no word, no name of a model.
  [/(?<![0-9a-z])(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{10,}/gi, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '#'],
  [/\s+/g, ' '],
];

/** Sentences repeat by the thousand when a limit is hit; masking one costs some 10 µs. */
const remembered = new Map<string, string>();
const rememberAtMost = 256;

/**
 * A server's or transport's sentence without what differs from request to request (numbers, ids,
 * hexadecimal, quoted names with digits, times), so that alike failures are one group; bounded.
 */
export const maskedMessage = (text: string): string => {
  const start = text.slice(0, readAtMost);
  const known = remembered.get(start);
  if (known !== undefined) return known;
  const masked = masks
    .reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), start)
    .trimStart()
    .slice(0, keptAtMost)
    .trimEnd()
    .toWellFormed();
  if (remembered.size >= rememberAtMost) remembered.clear();
  remembered.set(start, masked);
  return masked;
};

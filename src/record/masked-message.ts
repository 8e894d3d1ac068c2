/** How much of a text is read, and how much of the masked text is kept. */
const readAtMost = 1000;
const keptAtMost = 200;

/** What stands between the end of a number and whatever comes next without making a name of both. */
const unit = /(?<=\d)(?:[nuµm]?s|secs?|mins?|[mhdkx]|[kmgt]i?b|k?hz|tokens?)(?=\d|[-.@+,:]|$)/giu;

/** Letters and digits with what joins them: a number, a quantity (`12.5ms`, `6m0s`), a word, a name (`gpt-4o`, `Emily2.wav`). */
const token = /[\p{L}\p{N}_]+(?:(?:[-.@+]|(?<=\d)[,:](?=\d))[\p{L}\p{N}_]+)*/gu;

/** Numbers and quantities without their digits; names as they are, since those tell models and voices apart. */
const withoutNumbers = (part: string): string =>
  /[\p{L}_]/u.test(part.replace(unit, '')) ? part : part.replace(/\d+(?:[.,:]\d+)*/g, number);

const id = (): string => '<id>';
const time = (): string => '<time>';
const number = (): string => '#';
const blank = (): string => ' ';

/**
 * From the most to the least particular: what one pattern has masked, no later one can. Each is
 * linear in the text's length.
 */
const masks: readonly (readonly [RegExp, (part: string) => string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, id],
  [
    /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?/g,
    time,
  ],
  [/\d{2}:\d{2}:\d{2}(?:[.,]\d+)?/g, time],
  [/(?<![0-9a-z])0x[0-9a-f]+(?![0-9a-z])/gi, id],
  [/(?<![0-9a-z])(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?![0-9a-z])/gi, id],
  // A run of ten letters and digits, both among them: no word, no name of a model. Nor are ten digits.
  [/(?<![0-9a-z])(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{10,}/gi, id],
  [/\d{10,}/g, number],
  [token, withoutNumbers],
  [/\s+/g, blank],
];

/** The first part of a masked text. Half a name is left out, as it could be a number: `4o` is a name, `4` is none. */
const beginOf = (masked: string): string =>
  masked.length <= keptAtMost
    ? masked
    : masked
        .slice(0, keptAtMost)
        .replace(/[\p{L}\p{N}_.@+,:-]*$/u, (part) => (/\d/.test(part) ? '' : part));

/** Sentences repeat by the thousand when a limit is hit; masking one costs some 10 µs. */
const remembered = new Map<string, string>();
const rememberAtMost = 256;

/**
 * A server's or transport's sentence without what differs from request to request (numbers, ids,
 * hexadecimal, times), so that alike failures are one group; bounded. Names keep their digits.
 */
export const maskedMessage = (text: string): string => {
  const start = text.slice(0, readAtMost);
  const known = remembered.get(start);
  if (known !== undefined) return known;
  const masked = masks
    .reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), start)
    .trimStart();
  const kept = beginOf(masked).trimEnd().toWellFormed();
  if (remembered.size >= rememberAtMost) remembered.clear();
  remembered.set(start, kept);
  return kept;
};

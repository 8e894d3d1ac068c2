/** The maximum number of characters of a text that are read. */
const maxReadLength = 1000;
/** The maximum number of characters of a masked text. */
const maxMaskedLength = 200;

/** Matches a unit after a number. A number with a unit is not a name. */
const unit = /(?<=\d)(?:[nuµm]?s|secs?|mins?|[mhdkx]|[kmgt]i?b|k?hz|tokens?)(?=\d|[-.@+,:]|$)/giu;

/**
 * Matches letters and digits with the characters that join them: a number, a quantity (`12.5ms`, `6m0s`), a word, or a
 * name (`gpt-4o`, `Emily2.wav`).
 */
const token = /[\p{L}\p{N}_]+(?:(?:[-.@+]|(?<=\d)[,:](?=\d))[\p{L}\p{N}_]+)*/gu;

/** Masks numbers and quantities. Names are kept, since they distinguish models and voices. */
const withoutNumbers = (part: string): string =>
  /[\p{L}_]/u.test(part.replace(unit, '')) ? part : part.replace(/\d+(?:[.,:]\d+)*/g, number);

const id = (): string => '<id>';
const time = (): string => '<time>';
const number = (): string => '#';
const blank = (): string => ' ';

/** The masks, from the most to the least specific. Each takes time linear in the text's length. */
const masks: readonly (readonly [RegExp, (part: string) => string])[] = [
  [/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi, id],
  [
    /\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?: ?(?:Z|UTC|GMT|[+-]\d{2}:?\d{2}))?)?/g,
    time,
  ],
  [/\d{2}:\d{2}:\d{2}(?:[.,]\d+)?/g, time],
  [/(?<![0-9a-z])0x[0-9a-f]+(?![0-9a-z])/gi, id],
  [/(?<![0-9a-z])(?=[0-9a-f]*\d)(?=\d*[a-f])[0-9a-f]{8,}(?![0-9a-z])/gi, id],
  // Matches ten or more letters and digits in a row with both among them, which are neither a word nor a model's name.
  [/(?<![0-9a-z])(?=[a-z]*\d)(?=\d*[a-z])[0-9a-z]{10,}/gi, id],
  [/\d{10,}/g, number],
  [token, withoutNumbers],
  [/\s+/g, blank],
];

/**
 * Returns the start of a masked text. A truncated name at its end is removed, since it could look like a number, like
 * `4` of `4o`.
 */
const startOf = (masked: string): string =>
  masked.length <= maxMaskedLength
    ? masked
    : masked
        .slice(0, maxMaskedLength)
        .replace(/[\p{L}\p{N}_.@+,:-]*$/u, (part) => (/\d/.test(part) ? '' : part));

/**
 * The masked messages so far. Messages repeat by the thousand when a limit is reached, and masking one takes about 10
 * µs.
 */
const knownMasks = new Map<string, string>();
/** The maximum number of messages in `knownMasks`. */
const maxKnownMasks = 256;

/**
 * Masks the parts of a server's or transport's message that differ from request to request (numbers, ids, hexadecimal,
 * times), so that similar failures form one group, and truncates it. Names keep their digits.
 */
export const maskedMessage = (text: string): string => {
  const start = text.slice(0, maxReadLength);
  const known = knownMasks.get(start);
  if (known !== undefined) return known;
  const masked = masks
    .reduce((rest, [pattern, mask]) => rest.replace(pattern, mask), start)
    .trimStart();
  const kept = startOf(masked).trimEnd().toWellFormed();
  if (knownMasks.size >= maxKnownMasks) knownMasks.clear();
  knownMasks.set(start, kept);
  return kept;
};

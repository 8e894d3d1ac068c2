import * as fc from 'fast-check';

/** Half of a surrogate pair, which is no character by itself. */
const surrogates = { first: 0xd800, count: 0x800 } as const;

/** Any character of Unicode, like fast-check's `binary`, whose creation takes a second. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((place) =>
    String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count),
  );

import * as fc from 'fast-check';

/** Half of a pair, which is no character by itself. */
const surrogates = { first: 0xd800, count: 0x800 } as const;

/** Any character of Unicode, as fast-check's `binary`, which takes a second to be made. */
export const anyCharacter = fc
  .integer({ min: 0, max: 0x10ffff - surrogates.count })
  .map((place) =>
    String.fromCodePoint(place < surrogates.first ? place : place + surrogates.count),
  );

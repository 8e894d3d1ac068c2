/** The longest run of characters of a class that counts as one token. */
const maxRunLength = { space: 0, letter: 20, digit: 3, other: 1 } as const;
type CharacterClass = keyof typeof maxRunLength;

/** By UTF-16 code unit; scripts that are written without spaces, symbols and emoji are `other`. */
const classOf = (code: number): CharacterClass => {
  if (code <= 0x20 || code === 0xa0) return 'space';
  if (code >= 0x30 && code <= 0x39) return 'digit';
  const isAsciiLetter = (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a);
  return isAsciiLetter || (code >= 0xaa && code < 0x2000) ? 'letter' : 'other';
};

const eachToken = (text: string, onToken: (begin: number) => void): void => {
  let run: CharacterClass = 'space';
  let length = 0;
  for (let i = 0; i < text.length; i += 1) {
    const kind = classOf(text.charCodeAt(i));
    if (kind === run && length < maxRunLength[kind]) {
      length += 1;
      continue;
    }
    run = kind;
    length = 1;
    if (kind !== 'space') onToken(i);
  }
};

/**
 * The mock's token count: a word of up to 20 letters is one token, as are up to three digits and any other
 * character; white space does not count. Exact for common lower-case words (one token each in OpenAI's vocabularies),
 * close for English prose.
 */
export const countTokens = (text: string): number => {
  let tokens = 0;
  eachToken(text, () => {
    tokens += 1;
  });
  return tokens;
};

/** Splits a text into the tokens of `countTokens`; white space belongs to the token before it. */
export const splitTokens = (text: string): readonly string[] => {
  const starts: number[] = [];
  eachToken(text, (begin) => starts.push(begin));
  return starts.map((begin, i) => text.slice(i === 0 ? 0 : begin, starts[i + 1] ?? text.length));
};

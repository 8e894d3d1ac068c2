import { distance } from 'fastest-levenshtein';

/**
 * Words as they are compared: compatible characters made equal (NFKC), case, punctuation and
 * apostrophes dropped. Where a script puts no spaces between words, each character counts as one.
 */
const word =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]]+/gv;

const wordsOf = (text: string): readonly string[] =>
  text.normalize('NFKC').toLowerCase().replaceAll(/['’ʼ]/g, '').match(word) ?? [];

/** `distance` compares UTF-16 code units; 0 stands for every word that the true text does not have. */
const mostWords = 0xffff;

/**
 * How many words have to be inserted, deleted or replaced to turn what was heard into the true
 * text, and how many words that has. `null` for a text of more than 65,535 different words.
 */
export const wordErrors = (
  text: string,
  heard: string,
): { readonly wrong: number; readonly expected: number } | null => {
  const expected = wordsOf(text);
  const units = new Map<string, number>();
  for (const each of expected) if (!units.has(each)) units.set(each, units.size + 1);
  if (units.size > mostWords) return null;
  const encode = (words: readonly string[]): string => {
    const codes = Uint16Array.from(words, (each) => units.get(each) ?? 0);
    return Buffer.from(codes.buffer).toString('utf16le');
  };
  return { wrong: distance(encode(expected), encode(wordsOf(heard))), expected: expected.length };
};

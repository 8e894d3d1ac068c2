import { distance } from 'fastest-levenshtein';

/**
 * Matches one word of a text that `wordsOf` has normalised: NFKC, lower case, no apostrophes. Punctuation is not part
 * of a word. In a script without spaces between words (Chinese, Japanese, Thai, Lao, Khmer, Burmese), each character
 * counts as a word, together with its combining marks. A very long word is split, because a match of unlimited length
 * can overflow the stack.
 */
const word =
  /[[\p{L}\p{N}\p{M}]&&[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]\p{M}{0,20}|[[\p{L}\p{N}\p{M}]--[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]]{1,200}/gv;

/** Returns the first `most` words of a text, and the number of further words. */
const wordsOf = (
  text: string,
  most: number,
): { readonly words: readonly string[]; readonly more: number } => {
  const plain = text.normalize('NFKC').toLowerCase().replaceAll(/['’ʼ]/g, '');
  const next = new RegExp(word);
  const words: string[] = [];
  while (words.length < most) {
    const found = next.exec(plain);
    if (found === null) return { words, more: 0 };
    words.push(found[0]);
  }
  let more = 0;
  while (next.test(plain)) more += 1;
  return { words, more };
};

/**
 * The maximum number of different words in the reference text. `distance` compares strings, so one UTF-16 code unit
 * represents each word. Unit 0 represents every word that is not in the reference text.
 */
const maxDistinctWords = 0xffff;

/**
 * Returns how many words of the transcript are compared at most. The time of a comparison is proportional to the
 * product of both lengths, and a server can send a text of any length.
 */
const maxComparedWords = (expected: number): number => 10 * expected + 1000;

/**
 * Counts the word errors of a transcript: the words that must be inserted, deleted or replaced to turn the transcript
 * into the reference text. `expected` is the number of words of the reference text. Only the first words of a long
 * transcript are compared: 10 words for each word of the reference text, and 1,000 more. All further words count as
 * errors. Returns `null` if the reference text has more than 65,535 different words. Example: "the cat sat" for "the
 * black cat sat" has 1 error in 4 words.
 */
export const wordErrors = (
  text: string,
  transcript: string,
): { readonly wrong: number; readonly expected: number } | null => {
  const expected = wordsOf(text, Number.POSITIVE_INFINITY).words;
  const units = new Map<string, number>();
  for (const each of expected) if (!units.has(each)) units.set(each, units.size + 1);
  if (units.size > maxDistinctWords) return null;
  const encode = (words: readonly string[]): string => {
    const codes = Uint16Array.from(words, (each) => units.get(each) ?? 0);
    return Buffer.from(codes.buffer).toString('utf16le');
  };
  const { words, more } = wordsOf(transcript, maxComparedWords(expected.length));
  const wrong = distance(encode(expected), encode(words)) + more;
  return { wrong, expected: expected.length };
};

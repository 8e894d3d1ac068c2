import { wordErrors } from '../../../traffic/kinds/word-errors.ts';
import { deviation, type Judged, pass, unchecked, violation } from './check-case.ts';

const wordsIn = (text: string): string =>
  text
    .toLowerCase()
    .match(/[\p{L}\p{N}'’]+/gu)
    ?.join(' ') ?? '';

/** In characters. The recordings of the suite are short; comparing takes time proportional to the product of both lengths. */
const longest = 20_000;

/** Some words more or less are chance; another text, or one that only lacks its end, is not. */
export const judgeWords = (expected: string, found: string, what: string): Judged => {
  if (expected.length > longest)
    return unchecked(`${what} has ${expected.length} characters, too many for the recording`);
  const errors = wordErrors(expected, found);
  if (errors === null || errors.expected === 0) return unchecked('there are no words to compare');
  const share = errors.wrong / errors.expected;
  const observed = `${errors.wrong} of ${errors.expected} words differ from ${what}`;
  if (errors.wrong > 0 && wordsIn(expected).startsWith(`${wordsIn(found)} `))
    return deviation(
      'cut-words',
      `the last ${errors.wrong} of ${errors.expected} words of ${what} are missing`,
    );
  if (share <= 0.1) return pass(observed);
  return share > 0.6 ? violation(observed) : deviation('other-words', observed);
};

import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wordErrors } from './word-errors.ts';

const sentence =
  'A low dam slows the stream, and a painted scale shows how deep the water is. Every morning the keeper opens a green book.';

describe('word errors', () => {
  it.each([
    ['the same', sentence, sentence, 0],
    ['other case and punctuation', 'It’s open, John!', 'its OPEN john', 0],
    ['compatible characters', 'ﬁne ½ Ａｂ', 'fine 1⁄2 ab', 0],
    ['composed or decomposed accents', 'caf\u00e9', 'cafe\u0301', 0],
    ['hyphens, dashes and lines', 'well-known — fact', 'well known\nfact', 0],
    ['one word replaced', 'the gate is open', 'the gate was open', 1],
    ['two words instead of one', 'the gate is open', 'the gate is o pen', 2],
    ['a missing accent', 'caf\u00e9', 'cafe', 1],
    ['nothing heard', 'the gate is open', '', 4],
    ['nothing said', '', 'thank you', 2],
    ['words in another order', 'one two three', 'two three one', 2],
    ['a script without spaces', '水门打开。', '水門打开', 1],
    ['Thai', 'น้ำไหล', 'น้ำไหน', 1],
    ['Thai with spaces between its phrases', 'ประตู เปิด', 'ประตูเปิด', 0],
    ['Lao', 'ນ້ຳໄຫຼ', 'ນ້ຳໄຫ', 1],
    ['Khmer without its full stop', 'ទឹកហូរ។', 'ទឹកហូ', 1],
    ['Burmese, a mark of one character missing', 'ရေစီးသည်', 'ရေစီးသည', 1],
    ['two scripts in one', 'Weir 水门 and スーパー', 'weir水门andスーパー', 0],
  ])('are counted for %s', (_, text, heard, wrong) => {
    expect(wordErrors(text, heard)).toMatchObject({ wrong });
  });

  it('come with the number of words of the reference text', () => {
    expect(wordErrors(sentence, '')).toEqual({ wrong: 24, expected: 24 });
  });

  it('count each character of a script without spaces, with its marks', () => {
    const counts = ['水门打开。', 'น้ำไหล', 'ນ້ຳໄຫຼ', 'ទឹកហូរ។', 'ရေစီးသည်'].map(
      (text) => wordErrors(text, '')?.expected,
    );
    expect(counts).toEqual([4, 5, 4, 4, 4]);
  });

  it('count everything far beyond the reference text as inserted', () => {
    const limit = 10 * 24 + 1000;
    expect(wordErrors(sentence, `${sentence} ${'mumble '.repeat(limit - 24)}`)?.wrong).toBe(
      limit - 24,
    );
    const late = 'mumble '.repeat(limit) + sentence;
    expect(wordErrors(sentence, late)?.wrong).toBe(limit + 24);
  });

  it('rise by exactly the words that are deleted, inserted or replaced by unknown ones', () => {
    const words = sentence.split(' ');
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(words.length - 1)), (places) => {
        const count = places.length;
        const at = (index: number): boolean => places.includes(index);
        const heard = {
          deleted: words.filter((_, index) => !at(index)),
          replaced: words.map((word, index) => (at(index) ? 'mumble' : word)),
          inserted: words.flatMap((word, index) => (at(index) ? [word, 'mumble'] : [word])),
        };
        for (const [how, perturbed] of Object.entries(heard)) {
          expect(wordErrors(sentence, perturbed.join(' ')), how).toEqual({
            wrong: count,
            expected: 24,
          });
        }
      }),
    );
  });

  it('agree with the full table of edit distances', () => {
    const words = fc.array(fc.constantFrom('a', 'b', 'c', 'd', 'e'), { maxLength: 90 });
    fc.assert(
      fc.property(words, words, (said, heard) => {
        const expected = { wrong: editDistance(said, heard), expected: said.length };
        expect(wordErrors(said.join(' '), heard.join(' '))).toEqual(expected);
      }),
      { numRuns: 300 },
    );
  });

  it('distinguish as many words as there are code units, and no more', () => {
    const words = Array.from({ length: 65_535 }, (_, index) => `w${index}`);
    const heard = words.slice(100, 140).join(' ');
    expect(wordErrors(words.join(' '), heard)).toEqual({ wrong: 65_495, expected: 65_535 });
    expect(wordErrors([...words, 'more'].join(' '), heard)).toBeNull();
  });
});

/** Computes Wagner and Fischer's table, row by row. */
const editDistance = (from: readonly string[], to: readonly string[]): number => {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (const [index, word] of from.entries()) {
    const next = [index + 1];
    for (const [column, other] of to.entries()) {
      const replaced = row[column]! + (word === other ? 0 : 1);
      next.push(Math.min(replaced, row[column + 1]! + 1, next[column]! + 1));
    }
    row = next;
  }
  return row[to.length]!;
};

import { charactersIn } from '../../model/workload/characters.ts';
import type { ReadResult } from '../../model/workload/workload.ts';

/**
 * Splits a text into sentences. The rules of one fixed language are used, so that every machine gets the same
 * sentences. These Unicode rules apply to all scripts. They are loaded only on use, because loading takes 10 ms.
 */
const sentencesOf = (text: string): Intl.Segments =>
  new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text);

/**
 * Replaces line breaks within a paragraph by spaces, since the rules would end a sentence at a line break. The length
 * of the text stays the same.
 */
const withoutLineEnds = (text: string): string =>
  text.replaceAll('\r', ' ').replaceAll(/(?<!\n[^\S\n]*)\n(?![^\S\n]*\n)/g, ' ');

/** Replaces white space between words by one space, and white space between paragraphs by an empty line. */
const tidyWhitespace = (text: string): string =>
  text.replaceAll(/[^\S\n]+/g, ' ').replaceAll(/\s*\n\s*/g, '\n\n');

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * Splits a text into pieces of at most `maxCharacters` Unicode characters (interface, section 4.3). Each piece contains
 * as many whole sentences (Unicode, Annex 29) as possible. The lines of a paragraph are joined. Returns a problem if a
 * sentence is longer than `maxCharacters`. The message names the line of the sentence and does not quote it.
 */
export const splitText = (text: string, maxCharacters: number): ReadResult<readonly string[]> => {
  const pieces: string[] = [];
  let piece = '';
  let length = 0;
  const endPiece = (): void => {
    if (piece !== '') pieces.push(piece.trimEnd());
    piece = '';
    length = 0;
  };
  for (const { segment, index } of sentencesOf(withoutLineEnds(text))) {
    const sentence = tidyWhitespace(segment.trimStart());
    const spokenLength = charactersIn(sentence.trimEnd());
    if (spokenLength === 0) continue;
    if (spokenLength > maxCharacters) {
      const line = lineAt(text, index + segment.length - segment.trimStart().length);
      const problem = `the sentence that begins in line ${line} of the text has ${spokenLength} characters; a piece may have at most ${maxCharacters}`;
      return { ok: false, problem };
    }
    if (length + spokenLength > maxCharacters) endPiece();
    piece += sentence;
    length += charactersIn(sentence);
  }
  endPiece();
  return { ok: true, value: pieces };
};

import { charactersIn } from '../../model/workload/characters.ts';
import type { ReadResult } from '../../model/workload/workload.ts';

/**
 * Splits a text into sentences by the rules of one language on every machine. The Unicode rules hold for all scripts.
 * Loading them takes 10 ms.
 */
const sentencesOf = (text: string): Intl.Segments =>
  new Intl.Segmenter('en', { granularity: 'sentence' }).segment(text);

/** Replaces the ends of lines within a paragraph, which would count as ends of sentences. The length stays. */
const withoutLineEnds = (text: string): string =>
  text.replaceAll('\r', ' ').replaceAll(/(?<!\n[^\S\n]*)\n(?![^\S\n]*\n)/g, ' ');

/** Reduces white space to one space, or to an empty line between paragraphs. */
const tidyWhitespace = (text: string): string =>
  text.replaceAll(/[^\S\n]+/g, ' ').replaceAll(/\s*\n\s*/g, '\n\n');

const lineAt = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/**
 * Splits a text into pieces of at most `maxCharacters` Unicode characters (interface 4.3). Each piece is as long as the
 * ends of sentences (Unicode, Annex 29) allow. Lines of a paragraph are joined. A sentence that is longer than a piece
 * is a problem; the message names its line and does not quote it.
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

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitText } from './split-text.ts';

const piecesOf = (text: string, most: number): readonly string[] => {
  const found = splitText(text, most);
  if (!found.ok) throw new Error(found.problem);
  return found.value;
};

describe('a split text', () => {
  it('stays in one piece if it is short enough', () => {
    expect(piecesOf('The gate is open. The river is calm.', 36)).toEqual([
      'The gate is open. The river is calm.',
    ]);
  });

  it('is cut at the ends of sentences, as late as the limit allows', () => {
    expect(piecesOf('One is here. Two is there! Is three? Four.', 26)).toEqual([
      'One is here. Two is there!',
      'Is three? Four.',
    ]);
    expect(piecesOf('One is here. Two is there!', 25)).toEqual(['One is here.', 'Two is there!']);
  });

  it('is not cut at the end of a line, but may be at the end of a paragraph', () => {
    expect(
      piecesOf('The gate\nis  open.\r\nIt is\tcalm.\r\n\r\nA heading\n\n\nAn end.', 33),
    ).toEqual(['The gate is open. It is calm.', 'A heading\n\nAn end.']);
  });

  it('is measured in characters, not in code units, and is also cut in scripts without spaces', () => {
    expect(piecesOf('🌊🌊. 🌊🌊.', 7)).toEqual(['🌊🌊. 🌊🌊.']);
    expect(piecesOf('水门开着。河水很静。', 5)).toEqual(['水门开着。', '河水很静。']);
  });

  it('cannot be cut within a longer sentence, which is reported by its line and not quoted', () => {
    expect(splitText('One.\n\nThis sentence\nis longer.', 23)).toEqual({
      ok: false,
      problem:
        'the sentence that begins in line 3 of the text has 24 characters; a piece may have at most 23',
    });
  });

  it('has no pieces if it is only white space', () => {
    expect(piecesOf(' \n\n\t', 5)).toEqual([]);
  });

  it('loses only white space, and no piece has room for the next sentence', () => {
    const words = fc.array(fc.constantFrom('weir', 'gate', 'ö', '🌊', 'a'), { minLength: 1 });
    const sentence = fc
      .tuple(words, fc.constantFrom('. ', '! ', '.\n', '.\n\n', '?  '))
      .map(([said, end]) => `X${said.join(' ')}${end}`);
    fc.assert(
      fc.property(fc.array(sentence), fc.integer({ min: 1, max: 120 }), (said, most) => {
        const text = said.join('');
        const found = splitText(text, most);
        if (!found.ok) return;
        let rest = text.replaceAll(/(?<!\n)\n(?!\n)| {2}/g, ' ');
        let before = '';
        for (const piece of found.value) {
          expect([...piece].length).toBeLessThanOrEqual(most);
          // A piece and the first sentence of the next one would together be too long.
          const [first] = piece.match(/^X[^.!?]*[.!?]/)!;
          if (before !== '') expect([...`${before}${first}`].length).toBeGreaterThan(most);
          expect(rest.startsWith(piece)).toBe(true);
          const [spoken] = rest.slice(piece.length).match(/^\s*/)!;
          before = `${piece}${spoken}`;
          rest = rest.slice(before.length);
        }
        expect(rest).toBe('');
      }),
    );
  });
});

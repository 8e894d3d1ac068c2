import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { displayWidth, truncatedText, paddedText, wrappedLines } from './display-width.ts';

const words = fc.array(
  fc.constantFrom('a', 'weir', '模型', '🙂', 'é', '12', 'ms', 'supercalifragilistic'),
);

describe('columns of a terminal', () => {
  it.each([
    ['abc', 3],
    ['模型', 4],
    ['🙂', 2],
    ['e\u0301', 1],
    ['', 0],
  ])('%s takes %d', (text, columns) => {
    expect(displayWidth(text)).toBe(columns);
  });

  it('wrap text without losing or adding anything but line ends', () => {
    fc.assert(
      fc.property(words, fc.integer({ min: 4, max: 30 }), (parts, columns) => {
        const lines = wrappedLines(parts.join(' '), columns);
        expect(lines.every((line) => displayWidth(line) <= columns)).toBe(true);
        expect(lines.join('').replaceAll(' ', '')).toBe(parts.join(''));
      }),
    );
  });

  it('never separate a number from its unit', () => {
    expect(wrappedLines('it took about 60 s', 16)).toEqual(['it took about', '60 s']);
  });

  it('cut what does not fit and say so', () => {
    expect([
      truncatedText('gateway', 7),
      truncatedText('gateway', 5),
      truncatedText('模型模型', 4),
      truncatedText('ab', 0),
    ]).toEqual(['gateway', 'gate…', '模…', '']);
  });

  it('pad to the left or right by display width', () => {
    expect([paddedText('模', 4), paddedText('12', 4, 'right')]).toEqual(['模  ', '  12']);
  });
});

import { describe, expect, it } from 'vitest';
import {
  displayWidth,
  foldedText,
  truncatedText,
  paddedText,
  wrappedLines,
  printable,
} from './display-width.ts';
import { anyCodePoint } from '../../model/code-points-suite.fixture.ts';

import fc from 'fast-check';

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

describe('text from elsewhere', () => {
  it('shows control characters instead of obeying them', () => {
    expect(printable('a\u001b[2Jb\u0007\u0000')).toBe('a␛[2Jb␇␀');
  });

  it('stays on one line', () => {
    expect(printable('one\r\n\ttwo\u2028three\u0085four')).toBe('one two�three�four');
  });

  it('contains nothing that XML forbids', () => {
    expect(printable('a\uffff\ufffe\ud800')).toBe('a���');
  });

  it('cannot change the writing direction', () => {
    expect(printable('abc\u202edef\u2066')).toBe('abc�def�');
  });

  it('never contains a control character or a lone surrogate, for any input', () => {
    const unit = (min: number, max: number) =>
      fc.integer({ min, max }).map((code) => String.fromCharCode(code));
    const [loneSurrogate, control] = [unit(0xd800, 0xdfff), unit(0, 0x9f)];
    fc.assert(
      fc.property(fc.string({ unit: fc.oneof(anyCodePoint, loneSurrogate, control) }), (text) => {
        expect(printable(text)).not.toMatch(/\p{Cc}|\p{Cs}/u);
      }),
    );
  });

  it('leaves ordinary text of any script unchanged', () => {
    expect(printable('Größe 模型 🙂 <b>')).toBe('Größe 模型 🙂 <b>');
  });
});

describe('lines for people on a terminal', () => {
  it('are broken between words, with their indentation', () => {
    expect(foldedText('one two three\n  four five six', 9)).toBe(
      'one two\nthree\n  four\n  five\n  six',
    );
    expect(foldedText('short', 9)).toBe('short');
  });

  it('stay whole around a path that is wider than the screen, so that it can be copied', () => {
    expect(foldedText('Report: /a/very/long/path', 12)).toBe('Report: /a/very/long/path');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCodePoint } from '../../model/code-points-suite.fixture.ts';
import { printable } from './printable.ts';

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

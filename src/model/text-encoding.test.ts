import { expect, it } from 'vitest';
import { utf16Of } from './text-encoding.ts';

const text = 'guidellm benchmark --target http://h:8000 # Größe';

it('UTF-16 is recognised with a mark and without one, in both orders', () => {
  for (const mark of ['\uFEFF', '']) {
    const bytes = Buffer.from(mark + text, 'utf16le');
    expect(utf16Of(bytes)).toBe('utf-16le');
    expect(utf16Of(Buffer.from(bytes).swap16())).toBe('utf-16be');
  }
});

it.each([
  ['UTF-8', Buffer.from(text)],
  ['marked UTF-8', Buffer.from(`\uFEFF${text}`)],
  ['Latin-1', Buffer.from(text, 'latin1')],
  ['Chinese in UTF-8', Buffer.from('请求过于频繁，请稍后再试')],
  ['a file of nothing but zeros', Buffer.alloc(600)],
  ['a text with some zeros', Buffer.from('a\0b c d e f g h\0i')],
  ['nothing', Buffer.alloc(0)],
])('%s is no UTF-16', (_, bytes) => {
  expect(utf16Of(bytes)).toBeNull();
});

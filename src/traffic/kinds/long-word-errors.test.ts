// @gate 1 s
import { expect, it } from 'vitest';
import { wordErrors } from './word-errors.ts';

const sentence =
  'A low dam slows the stream, and a painted scale shows how deep the water is. Every morning the keeper opens a green book.';

it.each([
  ['words', 'the gate '.repeat(500_000), 1_000_000],
  ['one very long word', 'a'.repeat(4_000_000), 20_000],
  ['stacked combining marks', `e${'\u0301'.repeat(4_000_000)}`, 20_000],
  ['characters that are words', '水'.repeat(1_000_000), 1_000_000],
])('the word errors of a book are counted quickly or give an error: %s', (_, heard, words) => {
  const text = `${sentence} `.repeat(40);
  expect(wordErrors(text, heard)?.wrong).toBeGreaterThan(words - text.length);
});

import { expect, it } from 'vitest';
import { countTokens } from './tokens.ts';

it.each([
  ['', 0],
  [' \n\t ', 0],
  ['the quick brown fox', 4],
  [' the', 1],
  ['don’t stop.', 5],
  ['2026', 2],
  ['a1b22', 4],
  ['Grüße aus Köln', 3],
  ['日本語', 3],
  ['a'.repeat(20), 1],
  ['a'.repeat(41), 3],
  ['…---', 4],
])('%j has %i tokens', (text, tokens) => {
  expect(countTokens(text)).toBe(tokens);
});

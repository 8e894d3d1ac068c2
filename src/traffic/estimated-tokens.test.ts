import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer';
import { describe, expect, it } from 'vitest';
import { estimatedTokens } from './estimated-tokens.ts';

const prose = (name: string): string =>
  readFileSync(new URL(`../../${name}`, import.meta.url), 'utf8')
    .replaceAll(/```[^]*?```/g, '')
    .replaceAll(/[|`*_-]/g, '');

describe('the estimate of a text’s tokens', () => {
  it.each(['README.md', 'src/README.md', 'LICENSE', '.package/CHANGELOG.md'])(
    'is within a tenth of what a tokenizer counts in %s',
    (name) => {
      const text = prose(name);
      const share = estimatedTokens(text) / countTokens(text);
      expect(share).toBeGreaterThan(0.88);
      expect(share).toBeLessThan(1.1);
    },
  );

  it('is exact for words that are one token each, and counts long words, numbers and signs', () => {
    expect(estimatedTokens(' river rock round run')).toBe(4);
    expect(estimatedTokens('')).toBe(0);
    expect(estimatedTokens('internationalization')).toBe(3);
    expect(estimatedTokens('12345 !?')).toBe(4);
    expect(estimatedTokens('水位')).toBe(2);
  });
});

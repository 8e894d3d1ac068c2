import { readFileSync } from 'node:fs';
import { countTokens } from 'gpt-tokenizer';
import { describe, expect, it } from 'vitest';
import { estimateTokens } from './estimate-tokens.ts';

const prose = (name: string): string =>
  readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8')
    .replaceAll(/```[^]*?```/g, '')
    .replaceAll(/[|`*_-]/g, '');

describe('the estimated token count of a text', () => {
  it.each(['README.md', 'src/README.md', 'LICENSE', '.github/CHANGELOG.md'])(
    'is within 10 % of a tokenizer’s count for %s',
    (name) => {
      const text = prose(name);
      const share = estimateTokens(text) / countTokens(text);
      expect(share).toBeGreaterThan(0.88);
      expect(share).toBeLessThan(1.1);
    },
  );

  it('is exact for words of one token each, and counts long words, numbers and signs', () => {
    expect(estimateTokens(' river rock round run')).toBe(4);
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('internationalization')).toBe(3);
    expect(estimateTokens('12345 !?')).toBe(4);
    expect(estimateTokens('水位')).toBe(2);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { tokenizedTexts, tokenizerReferences } from './tokenizer-reference.fixture.ts';
import { openTokenizer } from './tokenizers.ts';

it.each(tokenizerReferences)(
  'a $name tokenizer counts in every text what Hugging Face’s own library counts',
  ({ tokenizer, counts }) => {
    const folder = mkdtempSync(join(tmpdir(), 'weir-tokenizer-'));
    try {
      const path = join(folder, 'tokenizer.json');
      writeFileSync(path, tokenizer);
      const opened = openTokenizer('tokenizer.json', path);
      if (typeof opened === 'string') throw new Error(opened);
      const counted = tokenizedTexts.map((text) => [text, opened.count(text)]);
      expect(counted).toEqual(tokenizedTexts.map((text, i) => [text, counts[i]]));
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
);

it('a tokenizer that cannot be used is a sentence, a package that is broken an error', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-tokenizer-'));
  try {
    const path = join(folder, 'tokenizer.json');
    for (const text of ['{}', 'no JSON', '{"model":{"type":"odd"}}']) {
      writeFileSync(path, text);
      expect(openTokenizer('mine.json', path)).toMatch(
        /^mine\.json: expected a tokenizer\.json as Hugging Face publishes it/,
      );
    }
    expect(() => openTokenizer('mine.json', join(folder, 'none'))).toThrow('ENOENT');
  } finally {
    rmSync(folder, { recursive: true });
  }
  expect(openTokenizer('no-such-encoding', '')).toContain(
    'the tokenizer no-such-encoding needs the package gpt-tokenizer, which is not installed: run `npm install gpt-tokenizer@',
  );
});

it('an encoding of the optional package counts its tokens', () => {
  const opened = openTokenizer('r50k_base', '');
  if (typeof opened === 'string') throw new Error(opened);
  expect([opened.sha256, opened.count(''), opened.count('hello world')]).toEqual([null, 0, 2]);
});

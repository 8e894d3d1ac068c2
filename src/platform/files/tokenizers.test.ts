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

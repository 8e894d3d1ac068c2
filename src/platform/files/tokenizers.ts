import { createRequire } from 'node:module';
import type { TokenCounter } from '../../model/workload/tokenizer.ts';
import { readTextWithHash } from './file-contents.ts';

/**
 * Tokenizers, each loaded when a scenario names it and not before. `require` since scenarios are read
 * without waiting; texts are made before the run, so nothing here is ever on the hot path.
 */
const require = createRequire(import.meta.url);

/** How much of gpt-tokenizer's modules is needed. */
interface Encoding {
  readonly encode: (text: string) => ArrayLike<number>;
}

/** How much of Hugging Face's module is needed; its own types lead into paths that it does not publish. */
interface Library {
  readonly Tokenizer: new (
    tokenizer: object,
    config: object,
  ) => {
    encode(
      text: string,
      options: { readonly add_special_tokens: boolean },
    ): { readonly ids: ArrayLike<number> };
  };
}

const isNotInstalled = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND';

/** The encoding of gpt-tokenizer by its name; a sentence where the package is not there: it has 30 MB, and is optional. */
const openEncoding = (name: string): TokenCounter | string => {
  try {
    const { encode } = require(`gpt-tokenizer/encoding/${name}`) as Encoding;
    return { count: (text) => encode(text).length, sha256: null };
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    return `the tokenizer ${name} needs the package gpt-tokenizer, which is not installed: run \`npm install gpt-tokenizer@4\`, or leave "tokenizer" out: made-up prompts are exact by this one without it`;
  }
};

/** A `tokenizer.json` as Hugging Face publishes it; special tokens are the chat template's, which is the server's. */
const openFile = (file: string, path: string): TokenCounter | string => {
  const { text, sha256 } = readTextWithHash(path);
  const { Tokenizer } = require('@huggingface/tokenizers') as Library;
  try {
    const tokenizer = new Tokenizer(JSON.parse(text) as object, {});
    const count = (input: string): number =>
      tokenizer.encode(input, { add_special_tokens: false }).ids.length;
    // Some faults of a file show only when it is used.
    count(' a');
    return { count, sha256 };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return `${file}: expected a tokenizer.json as Hugging Face publishes it beside a model; it cannot be used: ${reason}`;
  }
};

/** What is named by `name`, a file being at `path`. Throws the system's errors where that cannot be read. */
export const openTokenizer = (name: string, path: string): TokenCounter | string =>
  name.endsWith('.json') ? openFile(name, path) : openEncoding(name);

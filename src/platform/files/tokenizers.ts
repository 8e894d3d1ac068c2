import { createRequire } from 'node:module';
import type { TokenCounter } from '../../model/workload/tokenizer.ts';
import { installCommand } from '../optional-package.ts';
import { readTextWithHash } from './file-contents.ts';
import { fileBounds } from './whole-file.ts';

/**
 * This file loads a tokenizer only if a scenario names the tokenizer. The file uses `require`, since scenarios are read
 * synchronously. Loading is slow, which does no harm, since it happens before the run.
 */
const require = createRequire(import.meta.url);

interface Encoding {
  readonly encode: (text: string) => ArrayLike<number>;
}

/**
 * The part of Hugging Face's module that Weir uses, declared here since the module's own types refer to unpublished
 * paths.
 */
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

/** Opens one of `encodingNames`. Returns an error message if the optional package (30 MB) is not installed. */
const openEncoding = (name: string): TokenCounter | string => {
  try {
    const { encode } = require(`gpt-tokenizer/encoding/${name}`) as Encoding;
    return { count: (text) => encode(text).length, sha256: null };
  } catch (error) {
    if (!isNotInstalled(error)) throw error;
    return `the tokenizer ${name} needs the package gpt-tokenizer, which is not installed: run \`${installCommand(['gpt-tokenizer'])}\`, or leave out "tokenizer": synthetic prompts are exact for this tokenizer without it`;
  }
};

/**
 * Opens a `tokenizer.json` of Hugging Face. Special tokens are not counted, since they belong to the server's chat
 * template.
 */
const openFile = (file: string, path: string): TokenCounter | string => {
  const { text, sha256 } = readTextWithHash(path, fileBounds.tokenizer);
  const { Tokenizer } = require('@huggingface/tokenizers') as Library;
  try {
    const tokenizer = new Tokenizer(JSON.parse(text) as object, {});
    const count = (input: string): number =>
      tokenizer.encode(input, { add_special_tokens: false }).ids.length;
    // The tokenizer is used once here, since some errors in a file appear only when the tokenizer is used.
    count(' a');
    return { count, sha256 };
  } catch {
    // The library's message is not shown, since it names fields and functions of the library, which mean nothing to a
    // user.
    return `${file}: expected a tokenizer.json as Hugging Face publishes it with a model; this one cannot be used: download it again, or leave "tokenizer" out`;
  }
};

/**
 * Opens the tokenizer `name`. If `name` is the name of a file, `path` is the path of this file. Returns an error
 * message if the tokenizer cannot be opened. Throws the system's error for an unreadable file.
 */
export const openTokenizer = (name: string, path: string): TokenCounter | string =>
  name.endsWith('.json') ? openFile(name, path) : openEncoding(name);

import type { Hash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { isFileError, whyUnreadable } from './file-error-reasons.ts';
import { fileBounds, readFileBytes, requireRegularFile } from './whole-file.ts';

const partSize = 1024 * 1024;

/** Returns why the system could not read a file; `null` if the error does not come from the system. */
export const unreadableReason = (error: unknown): string | null =>
  isFileError(error) ? whyUnreadable(error) : null;

/**
 * Generates the bytes of a file in parts, so a large file needs no more memory than a small file. A caller that stores
 * all parts passes `most`, the maximum number of bytes. Throws for a file with more than `most` bytes.
 */
export function* filePartsOf(
  path: string,
  most = Number.POSITIVE_INFINITY,
): Generator<Uint8Array, void> {
  // A pipe is refused, since opening it would block this process and its signal handlers until another program writes
  // to it.
  requireRegularFile(path, most);
  const file = openSync(path, 'r');
  try {
    for (;;) {
      const part = Buffer.allocUnsafe(partSize);
      const size = readSync(file, part);
      if (size === 0) return;
      yield part.subarray(0, size);
    }
  } finally {
    closeSync(file);
  }
}

/**
 * The path of the list of words for synthetic prompts. The relative path is the same in the source and in the built
 * package.
 */
const wordsFile = fileURLToPath(new URL('../../../fixtures/prompts/words.txt', import.meta.url));

/** Reads the packed list of words (`src/workload/single-token-words.ts` unpacks it). */
export const readPromptWords = (): string => readFileSync(wordsFile, 'utf8');

/** Creates a SHA-256 hash. `node:crypto` is loaded only here, since most scenarios need no cryptography. */
export const newSha256 = (): Hash => process.getBuiltinModule('node:crypto').createHash('sha256');

/** Reads a file as text, and computes the SHA-256 of its bytes in hex. */
export const readTextWithHash = (
  path: string,
  most: number = fileBounds.text,
): { readonly text: string; readonly sha256: string } => {
  const bytes = readFileBytes(path, most);
  return { text: bytes.toString('utf8'), sha256: newSha256().update(bytes).digest('hex') };
};

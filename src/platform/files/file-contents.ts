import { createHash } from 'node:crypto';
import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { whyUnreadable } from './file-error-reasons.ts';

const partSize = 1024 * 1024;

/** Why the system did not let a file be read, in words; `null` for errors that are not of the system. */
export const unreadableReason = (error: unknown): string | null =>
  (error as NodeJS.ErrnoException).syscall === undefined ? null : whyUnreadable(error);

/** The bytes of a file in parts that stay as they are: one of many gigabytes needs no more memory than a small one. */
export function* filePartsOf(path: string): Generator<Uint8Array, void> {
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

/** The words that made-up prompts consist of; the same way from the source as from what is built of it. */
const wordsFile = fileURLToPath(new URL('../../../fixtures/prompts/words.txt', import.meta.url));

/** Words that are one token each with the space before them, separated by white space. */
export const readPromptWords = (): string => readFileSync(wordsFile, 'utf8');

/** A whole file as text, and the SHA-256 of its bytes in hex. */
export const readTextWithHash = (
  path: string,
): { readonly text: string; readonly sha256: string } => {
  const bytes = readFileSync(path);
  return { text: bytes.toString('utf8'), sha256: createHash('sha256').update(bytes).digest('hex') };
};

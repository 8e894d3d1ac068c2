import { readFileSync, type Stats, statSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { UnfitFile } from './file-error-reasons.ts';

/**
 * This file reads whole files, each within a bound, so that a wrong path costs a sentence and not the memory. All
 * functions throw an `UnfitFile` or Node's own error, which `whyUnreadable` turns into words.
 */

const mebibyte = 1024 ** 2;

/** The most bytes of a file of each use. */
export const fileBounds = {
  /** Node holds no longer text. */
  text: 511 * mebibyte,
  scenario: 64 * mebibyte,
  secret: mebibyte,
} as const;

const tooLarge = (most: number): UnfitFile =>
  new UnfitFile(`it is larger than ${most / mebibyte} MiB, the most that is read`);

/** Refuses a device or a pipe, and a file that is too large. A folder is left to Node, which refuses it. */
const requireFile = (found: Stats, most: number): void => {
  if (!found.isFile() && !found.isDirectory())
    throw new UnfitFile('it is a pipe or a device: expected a file');
  if (found.size > most) throw tooLarge(most);
};

/** Reads a regular file. */
export const readFileBytes = (path: string, most: number = fileBounds.text): Buffer => {
  requireFile(statSync(path), most);
  return readFileSync(path);
};

/** Throws unless a path leads to a regular file within the bound. */
export const requireRegularFile = (path: string, most: number): void =>
  requireFile(statSync(path), most);

/** Reads a pipe or a device to its end, and no further than the bound. */
const readPipe = async (path: string, most: number): Promise<Buffer> => {
  const file = await open(path);
  try {
    const parts: Buffer[] = [];
    for (let length = 0; ;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(65_536));
      if (bytesRead === 0) return Buffer.concat(parts);
      length += bytesRead;
      if (length > most) throw tooLarge(most);
      parts.push(buffer.subarray(0, bytesRead));
    }
  } finally {
    await file.close();
  }
};

/** Reads a file or, as a shell's `<(command)` gives it, a pipe. */
export const readBytes = async (path: string, most: number = fileBounds.text): Promise<Buffer> => {
  const found = await stat(path);
  if (!found.isFile() && !found.isDirectory()) return readPipe(path, most);
  requireFile(found, most);
  return readFile(path);
};

/** Reads the same as UTF-8. */
export const readTextFile = async (path: string, most?: number): Promise<string> =>
  (await readBytes(path, most)).toString('utf8');

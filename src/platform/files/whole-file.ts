import { readFileSync, type Stats, statSync } from 'node:fs';
import { open, readFile, stat } from 'node:fs/promises';
import { UnfitFile } from './file-error-reasons.ts';

/**
 * This file reads whole files up to a maximum size, so a wrong path leads to a message and does not fill the memory.
 * All functions throw an `UnfitFile` or Node's own error. `whyUnreadable` turns both kinds of error into words.
 */

const mebibyte = 1024 ** 2;

/** The maximum size of a file in bytes, by the use of the file. */
export const fileBounds = {
  /** The longest text that Node can store. */
  text: 511 * mebibyte,
  /**
   * The maximum for a pipe. The size of a pipe is known only at the end of the pipe, so all bytes up to the maximum may
   * be in memory.
   */
  pipe: 128 * mebibyte,
  imported: 128 * mebibyte,
  scenario: 64 * mebibyte,
  tokenizer: 64 * mebibyte,
  line: 16 * mebibyte,
  /** The maximum for text to be spoken: a million characters, of at most 4 bytes each. */
  spoken: 4 * mebibyte,
  certificate: 4 * mebibyte,
  calibration: 4 * mebibyte,
  /** The maximum for a record of a rendezvous, or for the line of a lock. */
  record: mebibyte,
  secret: mebibyte,
} as const;

const tooLarge = (most: number): UnfitFile =>
  new UnfitFile(`it is larger than ${most / mebibyte} MiB, the most that is read`);

/**
 * Throws an `UnfitFile` for a device, for a pipe, and for a file that is too large. For a folder, Node itself throws
 * later.
 */
const requireFile = (found: Stats, most: number): void => {
  if (!found.isFile() && !found.isDirectory())
    throw new UnfitFile('it is a pipe or a device: expected a file');
  if (found.size > most) throw tooLarge(most);
};

export const readFileBytes = (path: string, most: number = fileBounds.text): Buffer => {
  requireFile(statSync(path), most);
  return readFileSync(path);
};

/** Throws unless a path leads to a regular file of at most `most` bytes, or to a folder. */
export const requireRegularFile = (path: string, most: number): void =>
  requireFile(statSync(path), most);

/** The number of bytes that one read of a pipe can return. */
const partLength = 65_536;

/** Reads a pipe or a device to its end. Throws if the pipe or device has more bytes than the maximum. */
const readPipe = async (path: string, most: number): Promise<Buffer> => {
  const file = await open(path);
  try {
    const parts: Buffer[] = [];
    for (let length = 0; ;) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(partLength));
      if (bytesRead === 0) return Buffer.concat(parts);
      length += bytesRead;
      if (length > most) throw tooLarge(most);
      // A part that does not fill its buffer is copied, since otherwise the whole buffer would stay in memory.
      parts.push(bytesRead === partLength ? buffer : Buffer.from(buffer.subarray(0, bytesRead)));
    }
  } finally {
    await file.close();
  }
};

/** Reads a file or a pipe. A shell's `<(command)` is a pipe. */
export const readBytes = async (path: string, most: number = fileBounds.text): Promise<Buffer> => {
  const found = await stat(path);
  if (!found.isFile() && !found.isDirectory())
    return readPipe(path, Math.min(most, fileBounds.pipe));
  requireFile(found, most);
  return readFile(path);
};

/** Reads a file or a pipe as UTF-8. */
export const readTextFile = async (path: string, most?: number): Promise<string> =>
  (await readBytes(path, most)).toString('utf8');

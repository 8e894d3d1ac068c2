import { appendFile, mkdtemp, open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { UnfitFile } from './file-error-reasons.ts';
import { fileBounds } from './whole-file.ts';

/**
 * This file contains plain operations on files. They throw Node's own errors, since only the caller knows the purpose
 * of a file.
 */

/** Generates the lines of a file. Throws an `UnfitFile` if a line is longer than any line that Weir writes. */
export async function* linesOf(path: string): AsyncGenerator<string, void> {
  const file = await open(path);
  let rest = '';
  // The stream closes the file even if the caller stops before the last line.
  for await (const part of file.createReadStream({ encoding: 'utf8', highWaterMark: 1024 ** 2 })) {
    const lines = `${rest}${String(part)}`.split('\n');
    rest = lines.pop() ?? '';
    if (rest.length > fileBounds.line)
      throw new UnfitFile(`a line of it is longer than ${fileBounds.line / 1024 ** 2} MiB`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Returns at most the first `length` bytes of a file, as text. */
export const beginningOf = async (path: string, length: number): Promise<string> => {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
};

export const writeText = (path: string, text: string): Promise<void> => writeFile(path, text);

/** Returns whether a file has content; `false` for devices and pipes. */
export const hasContent = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile() && found.size > 0,
    () => false,
  );

/** Writes a new file; fails if the file exists. */
export const createText = (path: string, content: string | Uint8Array): Promise<void> =>
  writeFile(path, content, { flag: 'wx' });

/**
 * Writes a file completely or not at all: writes a draft and renames it. An old draft is removed first, since
 * `createText` fails if its file exists.
 */
export const writeWhole = async (path: string, text: string): Promise<void> => {
  const draft = `${path}.part`;
  try {
    await removeFile(draft);
    await createText(draft, text);
    await rename(draft, path);
  } catch (error) {
    await removeFile(draft).catch(() => undefined);
    throw error;
  }
};

export const appendText = (path: string, text: string): Promise<void> => appendFile(path, text);

/** Removes a file if it exists. */
export const removeFile = (path: string): Promise<void> => rm(path, { force: true });

export const namesInFolder = (path: string): Promise<readonly string[]> => readdir(path);

export const isExistingFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );

/** Calls `use` with a new temporary folder, and removes the folder afterwards. */
export const inTemporaryFolder = async <T>(use: (folder: string) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'weir-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Saves a text in a new temporary folder because the text could not be written to `path`. Returns the new path. */
export const keepElsewhere = async (path: string, text: string): Promise<string> => {
  const kept = join(await mkdtemp(join(tmpdir(), 'weir-')), basename(path));
  await writeFile(kept, text);
  return kept;
};

/** Returns the code of a failed file operation, such as ENOENT; `undefined` for any other error. */
export const fileErrorCode = (error: unknown): string | undefined =>
  (error as NodeJS.ErrnoException).code;

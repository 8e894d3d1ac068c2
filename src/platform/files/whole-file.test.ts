import { execFileSync } from 'node:child_process';
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { whyUnreadable } from './file-error-reasons.ts';
import { fileBounds, readFileBytes, readTextFile, requireRegularFile } from './whole-file.ts';

let folder = '';
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-'));
});
afterEach(() => rm(folder, { recursive: true }));

const sparseFile = async (size: number): Promise<string> => {
  const path = join(folder, 'sparse');
  await writeFile(path, '');
  await truncate(path, size);
  return path;
};

const pipe = (): string => {
  const path = join(folder, 'pipe');
  execFileSync('mkfifo', [path]);
  return path;
};

const reasonOf = async (read: () => unknown): Promise<string> => {
  try {
    await read();
    return '';
  } catch (error) {
    return whyUnreadable(error);
  }
};

const tooLarge = 'it is larger than 1 MiB, the most that is read';

describe('a whole file', () => {
  it('is read up to its bound, and refused above it without being read', async () => {
    const path = await sparseFile(fileBounds.secret);
    expect(readFileBytes(path, fileBounds.secret)).toHaveLength(fileBounds.secret);
    expect(await readTextFile(path, fileBounds.secret)).toHaveLength(fileBounds.secret);
    await truncate(path, fileBounds.secret + 1);
    expect(await reasonOf(() => readFileBytes(path, fileBounds.secret))).toBe(tooLarge);
    expect(await reasonOf(() => readTextFile(path, fileBounds.secret))).toBe(tooLarge);
    await truncate(path, 1024 ** 4);
    expect(await reasonOf(() => readTextFile(path))).toBe(
      'it is larger than 511 MiB, the most that is read',
    );
  });

  it('can be a pipe if it is read without holding up the process', async () => {
    const path = pipe();
    const reading = readTextFile(path);
    createWriteStream(path).end('name: x\n');
    expect(await reading).toBe('name: x\n');
  });

  it.runIf(process.platform === 'linux')('is no device without an end', async () => {
    expect(await reasonOf(() => readTextFile('/dev/zero', fileBounds.secret))).toBe(tooLarge);
    const refused = 'it is a pipe or a device: expected a file';
    expect(await reasonOf(() => readFileBytes('/dev/zero'))).toBe(refused);
    expect(await reasonOf(() => requireRegularFile(pipe(), fileBounds.text))).toBe(refused);
  });

  it('is no folder, and has to exist', async () => {
    expect(await reasonOf(() => readTextFile(folder))).toBe('it is a folder');
    expect(await reasonOf(() => readFileBytes(folder))).toBe('it is a folder');
    expect(await reasonOf(() => readFileBytes(join(folder, 'no')))).toBe('there is no such file');
  });
});

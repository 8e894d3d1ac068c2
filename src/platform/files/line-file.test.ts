import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openLineFile } from './line-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('the first line replaces the old content, and an unwritten file keeps it', async () => {
  const path = join(folder, 'kept');
  writeFileSync(path, 'old');
  await (await openLineFile(path)).discard();
  expect(readFileSync(path, 'utf8')).toBe('old');
  const file = await openLineFile(path);
  file.write('new');
  file.write('lines');
  await file.close();
  expect(readFileSync(path, 'utf8')).toBe('new\nlines\n');
});

it('a device that refuses every write is a problem at the end, and the end comes', async () => {
  const file = await openLineFile('/dev/full');
  for (let line = 0; line < 100; line += 1) {
    file.write('x'.repeat(10_000));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect(file.close()).rejects.toThrow('/dev/full cannot be written: the disk is full');
  const discarded = await openLineFile('/dev/full');
  discarded.write('x');
  await discarded.discard();
});

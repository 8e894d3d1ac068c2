// @gate 1 s
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sampleCalibration } from '../../verbs/calibrate/report/sample-calibration.fixture.ts';
import { readCalibration } from './calibration-file.ts';
import {
  beginningOf,
  createText,
  hasContent,
  inTemporaryFolder,
  isExistingFolder,
  keepElsewhere,
  linesOf,
  writeWhole,
} from './plain-files.ts';
import { fileBounds } from './whole-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-small-files-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

describe('lines of a file', () => {
  const all = async (path: string): Promise<readonly string[]> => {
    const lines: string[] = [];
    for await (const line of linesOf(path)) lines.push(line);
    return lines;
  };

  it('are whole across the parts in which it is read, and the last needs no end', async () => {
    const long = 'ä'.repeat(700_000);
    expect(await all(file('a', `one\n\n${long}\n${long}\nlast`))).toEqual([
      'one',
      '',
      long,
      long,
      'last',
    ]);
    expect(await all(file('b', 'one\n'))).toEqual(['one']);
    expect(await all(file('c', ''))).toEqual([]);
  });

  it('end where the reader ends', async () => {
    for await (const line of linesOf(file('d', 'one\ntwo\n'))) {
      expect(line).toBe('one');
      break;
    }
  });

  it('may be as long as the longest that Weir writes, and no longer', async () => {
    const path = file('long', '');
    truncateSync(path, fileBounds.line);
    expect((await all(path)).map(({ length }) => length)).toEqual([fileBounds.line]);
    truncateSync(path, 2 * fileBounds.line);
    await expect(all(path)).rejects.toThrow('a line of it is longer than 16 MiB');
  });
});

describe('files', () => {
  it('have a beginning and, if they are no devices, content', async () => {
    const path = file('e', 'abcdef');
    expect(await beginningOf(path, 3)).toBe('abc');
    expect(await beginningOf(path, 30)).toBe('abcdef');
    expect(
      await Promise.all([path, file('f', ''), '/dev/zero', join(folder, 'none')].map(hasContent)),
    ).toEqual([true, false, false, false]);
    expect(await Promise.all([folder, path, join(folder, 'none')].map(isExistingFolder))).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('that exist are not created again, and text without a place is kept elsewhere', async () => {
    const path = file('g', 'old');
    await expect(createText(path, 'new')).rejects.toMatchObject({ code: 'EEXIST' });
    const kept = await keepElsewhere(path, 'data');
    expect([kept.endsWith('/g'), kept === path, readFileSync(kept, 'utf8')]).toEqual([
      true,
      false,
      'data',
    ]);
    rmSync(join(kept, '..'), { recursive: true });
  });

  it('of a temporary folder are gone with it, also after a failure', async () => {
    let seen = '';
    await expect(
      inTemporaryFolder(async (temporary) => {
        seen = temporary;
        expect(statSync(temporary).isDirectory()).toBe(true);
        await createText(join(temporary, 'x'), 'x');
        throw new Error('stop');
      }),
    ).rejects.toThrow('stop');
    expect(existsSync(seen)).toBe(false);
    expect(await inTemporaryFolder(() => Promise.resolve(5))).toBe(5);
  });
});

describe('the calibration', () => {
  it('is read as it was written, in one step, and a damaged or missing one is none', async () => {
    const path = join(folder, 'new', 'calibration.json');
    const calibration = sampleCalibration();
    expect(await readCalibration(path)).toBeNull();
    mkdirSync(join(folder, 'new'));
    await writeWhole(path, JSON.stringify(calibration));
    expect(await readCalibration(path)).toEqual(calibration);
    expect(readdirSync(join(folder, 'new'))).toEqual(['calibration.json']);
    writeFileSync(path, '{"format":"other"}');
    expect(await readCalibration(path)).toBeNull();
  });
});

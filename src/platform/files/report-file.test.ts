import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { openReportFile } from './report-file.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'weir-report-file-')));
let folder: string;
let n = 0;
beforeEach(() => {
  n += 1;
  folder = join(root, String(n));
  mkdirSync(folder);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const textOf = (name: string): string => readFileSync(join(folder, name), 'utf8');

it('an opened file is not there until it is written, and then it is whole', async () => {
  const file = await openReportFile(join(folder, 'a.csv'));
  expect(readdirSync(folder)).toEqual([]);
  await file.write('a\nb\n');
  expect(textOf('a.csv')).toBe('a\nb\n');
  expect(readdirSync(folder)).toEqual(['a.csv']);
});

it('an old file keeps its text until the new one is written, and for ever if it is given up', async () => {
  writeFileSync(join(folder, 'a.csv'), 'old');
  const file = await openReportFile(join(folder, 'a.csv'));
  expect(textOf('a.csv')).toBe('old');
  await file.discard();
  expect(textOf('a.csv')).toBe('old');
  await file.write('new');
  expect(textOf('a.csv')).toBe('new');
  expect(readdirSync(folder)).toEqual(['a.csv']);
});

it('a link leads to the file that is written, and stays a link', async () => {
  writeFileSync(join(folder, 'real.csv'), 'old');
  symlinkSync('real.csv', join(folder, 'link.csv'));
  await (await openReportFile(join(folder, 'link.csv'))).write('new\n');
  expect(textOf('real.csv')).toBe('new\n');
  symlinkSync('later.csv', join(folder, 'dangling.csv'));
  await (await openReportFile(join(folder, 'dangling.csv'))).write('new\n');
  expect(textOf('later.csv')).toBe('new\n');
  expect(readdirSync(folder)).toEqual(['dangling.csv', 'later.csv', 'link.csv', 'real.csv']);
});

it('a draft that was left, or put there as a link, is replaced', async () => {
  writeFileSync(join(folder, 'other'), 'safe');
  const file = await openReportFile(join(folder, 'a.csv'));
  symlinkSync(join(folder, 'other'), join(folder, 'a.csv.part'));
  await file.write('new\n');
  expect([textOf('a.csv'), textOf('other')]).toEqual(['new\n', 'safe']);
});

it('a path that cannot be written is refused when it is opened', async () => {
  await expect(openReportFile(join(folder, 'missing', 'a.csv'))).rejects.toThrow(
    /missing\/a\.csv cannot be written: /,
  );
  await expect(openReportFile(folder)).rejects.toThrow('cannot be written: ');
});

it('what fails at the end is a sentence, and leaves no draft', async () => {
  const inside = join(folder, 'inside');
  mkdirSync(inside);
  const file = await openReportFile(join(inside, 'a.csv'));
  rmSync(inside, { recursive: true });
  await expect(file.write('x')).rejects.toThrow(/the file .*a\.csv cannot be written: /);
  mkdirSync(inside);
  mkdirSync(join(inside, 'a.csv'));
  await expect(file.write('x')).rejects.toThrow(/the file .*a\.csv cannot be written: /);
  expect(readdirSync(inside)).toEqual(['a.csv']);
});

it('a device gets the text itself', async () => {
  await (await openReportFile('/dev/null')).write('x\n');
  await expect((await openReportFile('/dev/full')).write('x\n')).rejects.toThrow(
    '/dev/full cannot be written: the disk is full',
  );
});

it('a file beside which no draft can be put is written all the same', async () => {
  writeFileSync(join(folder, 'a.csv'), 'old and longer');
  mkdirSync(join(folder, 'a.csv.part'));
  const file = await openReportFile(join(folder, 'a.csv'));
  await file.write('new\n');
  expect(textOf('a.csv')).toBe('new\n');
});

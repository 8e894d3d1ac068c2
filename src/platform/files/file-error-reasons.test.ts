import { expect, it } from 'vitest';
import { noDescriptors } from '../no-descriptors.ts';
import { Problem } from '../problem.ts';
import {
  isFileError,
  isForeseen,
  UnfitFile,
  whyUnreadable,
  whyUnwritable,
} from './file-error-reasons.ts';

it.each([
  [
    Object.assign(new Error('x'), { code: 'ERR_INVALID_ARG_VALUE' }),
    'its path contains a NUL character',
  ],
  [Object.assign(new Error('x'), { code: 'ERR_FS_FILE_TOO_LARGE' }), 'it is larger than 2 GiB'],
  [Object.assign(new Error('x'), { code: 'ERR_STRING_TOO_LONG' }), 'it is larger than 512 MiB'],
  [Object.assign(new Error('x'), { code: 'EACCES' }), 'permission denied'],
  [Object.assign(new Error('x'), { code: 'ELOOP' }), 'it is a link that leads to itself'],
  [
    Object.assign(new Error("ENXIO: no such device or address, open '/dev/tty'"), {
      code: 'ENXIO',
    }),
    'no such device or address',
  ],
  [new Error('anything else'), 'anything else'],
])('a file that cannot be read is explained in words: %s', (error, words) => {
  const why = whyUnreadable(error);
  expect(why).toContain(words);
  expect(why).not.toMatch(/\bE[A-Z]{3,}\b/);
});

const failed = (code: string, more: object = { syscall: 'open' }): Error =>
  Object.assign(new Error(`${code}: in words, open 'x'`), { code, ...more });

it.each([
  ['EACCES', 'permission denied', 'permission denied'],
  ['EIO', 'the disk fails', 'the disk fails'],
  ['EISDIR', 'it is a folder', 'it is a folder'],
  ['ELOOP', 'it is a link that leads to itself', 'it is a link'],
  ['ENAMETOOLONG', 'its path is too long', 'its path is too long'],
  ['ENOENT', 'there is no such file', 'its folder does not exist: create it first'],
  [
    'ENOTDIR',
    'a part of the path is a file, not a folder',
    'a part of the path is a file, not a folder',
  ],
  ['EMFILE', noDescriptors, noDescriptors],
  ['EROFS', 'in words', 'the file system is read-only'],
  ['ENOSPC', 'in words', 'the disk is full'],
  ['EDQUOT', 'in words', 'the disk quota is used up'],
])('%s is explained to who reads and to who writes', (code, reading, writing) => {
  expect(whyUnreadable(failed(code))).toBe(reading);
  expect(whyUnwritable(failed(code))).toBe(writing);
});

it('an error of the file system and a problem are foreseen; any other error is a defect', () => {
  const classified = (error: unknown): readonly boolean[] => [
    isFileError(error),
    isForeseen(error),
  ];
  expect(classified(failed('EIO'))).toEqual([true, true]);
  expect(classified(failed('ERR_STRING_TOO_LONG', {}))).toEqual([true, true]);
  expect(classified(new UnfitFile('odd'))).toEqual([true, true]);
  expect(classified(new Problem('odd'))).toEqual([false, true]);
  expect(classified(failed('ERR_ASSERTION', {}))).toEqual([false, false]);
  expect(classified(new Error('odd'))).toEqual([false, false]);
  expect(classified({ code: 'EIO', syscall: 'open' })).toEqual([false, false]);
});

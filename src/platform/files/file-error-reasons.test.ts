import { expect, it } from 'vitest';
import { whyUnreadable } from './file-error-reasons.ts';

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

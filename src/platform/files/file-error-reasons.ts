import { noDescriptors } from '../no-descriptors.ts';
import { Problem } from '../problem.ts';

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EMFILE: noDescriptors,
  EIO: 'the disk fails',
  EISDIR: 'it is a folder',
  ELOOP: 'it is a link that leads to itself',
  ENAMETOOLONG: 'its path is too long',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is a file, not a folder',
};

const unwritable: Readonly<Record<string, string>> = {
  ...reasons,
  ENOENT: 'its folder does not exist: create it first',
  EROFS: 'the file system is read-only',
  ELOOP: 'it is a link',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
};

/** Thrown for a file that Weir refuses to read; the message says why. */
export class UnfitFile extends Error {}

/** The words that messages use for errors of Node itself (not of the system), by error code. */
const refused: Readonly<Record<string, string>> = {
  ERR_INVALID_ARG_VALUE: 'its path contains a NUL character',
  ERR_FS_FILE_TOO_LARGE: 'it is larger than 2 GiB',
  ERR_STRING_TOO_LONG: 'it is larger than 512 MiB, the longest text that Node can hold',
};

/**
 * Returns the system's words for an error, without the code and the call that Node adds: `EBUSY: resource busy or
 * locked, open 'x'` becomes `resource busy or locked`.
 */
const plainly = (message: string): string =>
  /^E[A-Z0-9]+: ([^,]+), \w+(?: '.*)?$/s.exec(message)?.[1] ?? message;

const reasonFor = (reasonsByCode: typeof reasons, error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasonsByCode[code] ?? refused[code] ?? plainly(message);
};

/**
 * Returns whether an error is expected, for example an error of the file system. Any other error is a defect of Weir.
 */
export const isForeseen = (error: unknown): error is Error =>
  error instanceof Problem || isFileError(error);

/** Returns whether an error comes from the file system. */
export const isFileError = (error: unknown): error is Error =>
  error instanceof UnfitFile ||
  (error instanceof Error &&
    'code' in error &&
    ('syscall' in error || String(error.code) in refused));

export const whyUnreadable = (error: unknown): string => reasonFor(reasons, error);

export const whyUnwritable = (error: unknown): string => reasonFor(unwritable, error);

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of the path is a file, not a folder',
};

const unwritable: Readonly<Record<string, string>> = {
  ...reasons,
  ENOENT: 'its folder does not exist: create it first',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EMFILE: 'this process may open no more files (`ulimit -n`)',
};

const reasonFor = (reasonsByCode: typeof reasons, error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasonsByCode[code] ?? message;
};

/** Whether an error is the file system's, not a defect. */
export const isFileError = (error: unknown): boolean =>
  error instanceof Error && 'syscall' in error && 'code' in error;

export const whyUnreadable = (error: unknown): string => reasonFor(reasons, error);

export const whyUnwritable = (error: unknown): string => reasonFor(unwritable, error);

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
};

const reasonFor = (reasonsByCode: typeof reasons, error: unknown): string => {
  const { code = '', message } = error as NodeJS.ErrnoException;
  return reasonsByCode[code] ?? message;
};

export const whyUnreadable = (error: unknown): string => reasonFor(reasons, error);

export const whyUnwritable = (error: unknown): string => reasonFor(unwritable, error);

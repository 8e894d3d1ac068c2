/** What messages say if an operation failed because no file descriptor was left. */
export const noDescriptors = 'this process may open no more files (`ulimit -n`)';

/** Returns `noDescriptors` if an error says that no file descriptors are left; `null` for any other error. */
export const noDescriptorsReason = (error: unknown): string | null => {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE' ? noDescriptors : null;
};

/** Why an operation failed for want of file descriptors. */
export const noDescriptors = 'this process may open no more files (`ulimit -n`)';

/** Returns why an error occurred if it says that no file descriptors are left; `null` for any other error. */
export const noDescriptorsReason = (error: unknown): string | null => {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'EMFILE' || code === 'ENFILE' ? noDescriptors : null;
};

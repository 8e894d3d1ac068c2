/** Waits for the work, but for `timeout` ms at most: then it is left to itself. */
export const waitAtMost = async (timeout: number, work: Promise<unknown>): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeout);
  try {
    await Promise.race([promise, work]);
  } finally {
    clearTimeout(timer);
  }
};

/** Waits for the work for at most `timeout` ms; after that, the work continues unwatched. */
export const waitAtMost = async (timeout: number, work: Promise<unknown>): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeout);
  try {
    await Promise.race([promise, work]);
  } finally {
    clearTimeout(timer);
  }
};

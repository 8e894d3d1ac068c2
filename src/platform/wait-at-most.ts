/**
 * Waits until `work` ends, but at most `timeout` ms. If `work` takes longer, it continues in the background, and its
 * result is ignored.
 */
export const waitAtMost = async (timeout: number, work: Promise<unknown>): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeout);
  try {
    await Promise.race([promise, work]);
  } finally {
    clearTimeout(timer);
  }
};

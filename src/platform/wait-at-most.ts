/** Waits for some work, but at most `timeout` ms. After that the work continues, and its result is ignored. */
export const waitAtMost = async (timeout: number, work: Promise<unknown>): Promise<void> => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, timeout);
  try {
    await Promise.race([promise, work]);
  } finally {
    clearTimeout(timer);
  }
};

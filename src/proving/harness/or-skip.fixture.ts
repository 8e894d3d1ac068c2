import type { TestContext } from 'vitest';
import { Unavailable } from './program-output.ts';

/** What `work` resolves with. Skips the test, with the reason, if it throws `Unavailable`. */
export const orSkip = async <Value>(
  { skip }: TestContext,
  work: () => Promise<Value>,
): Promise<Value> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Unavailable) return skip(error.message);
    throw error;
  }
};

/** Throws outside of any handler, so that a defect ends the process. */
export const throwUncaught = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};

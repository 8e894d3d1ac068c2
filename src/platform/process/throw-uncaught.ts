/** Thrown where nobody can catch it, a defect ends the process, as one in a timer's callback does. */
export const throwUncaught = (error: unknown): void => {
  queueMicrotask(() => {
    throw error;
  });
};

import { setTimeout as wait } from 'node:timers/promises';

export const sleep = (length: number): Promise<void> => wait(Math.max(0, length));

/**
 * Waits for `length` ms, or until `onStop` reports a stop. Resolves with the cause of the stop, or with `null` after
 * `length` ms.
 */
export const pause = <Cause>(
  length: number,
  onStop: (listener: (cause: Cause) => void) => () => void,
): Promise<Cause | null> =>
  new Promise((resolve) => {
    let release = (): void => undefined;
    const end = (cause: Cause | null): void => {
      clearTimeout(timer);
      release();
      resolve(cause);
    };
    const timer = setTimeout(end, length, null);
    release = onStop(end);
  });

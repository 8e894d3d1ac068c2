import { setImmediate } from 'node:timers/promises';

/** A world in which time passes only when nothing else can happen. Instants are in ms. */
export interface VirtualWorld {
  now(): number;
  /** Calls `happen` at a moment. */
  at(moment: number, happen: () => void): void;
  sleepUntil(moment: number): Promise<void>;
  /** Runs `main` to its end. */
  run<Value>(main: () => Promise<Value>): Promise<Value>;
}

export const openVirtualWorld = (): VirtualWorld => {
  const events: { readonly moment: number; readonly happen: () => void }[] = [];
  let now = 0;
  const at = (moment: number, happen: () => void): void => {
    const due = Math.max(now, moment);
    const place = events.findLastIndex((event) => event.moment <= due) + 1;
    events.splice(place, 0, { moment: due, happen });
  };
  return {
    now: () => now,
    at,
    sleepUntil: (moment) =>
      new Promise((resolve) => {
        at(moment, resolve);
      }),
    run: async (main) => {
      const state = { isOver: false };
      const running = main().finally(() => {
        state.isOver = true;
      });
      running.catch(() => undefined);
      await setImmediate();
      while (!state.isOver) {
        const next = events.shift();
        if (next === undefined) throw new Error('nothing happens any more');
        now = next.moment;
        next.happen();
        await setImmediate();
      }
      return running;
    },
  };
};

import type { Clock } from '../model/clock.ts';
import { instant } from '../model/quantity.ts';

/** Events in the order of their times. */
export class Agenda {
  now = 0;
  #events: { readonly at: number; readonly run: () => void }[] = [];

  at(at: number, run: () => void): () => void {
    const event = { at, run };
    const later = this.#events.findIndex((other) => other.at > at);
    if (later === -1) this.#events.push(event);
    else this.#events.splice(later, 0, event);
    return () => {
      this.#events = this.#events.filter((other) => other !== event);
    };
  }

  /** Runs the next event; false when there is none. */
  step(): boolean {
    const next = this.#events.shift();
    if (next === undefined) return false;
    this.now = Math.max(this.now, next.at);
    next.run();
    return true;
  }
}

export const clockOn = (agenda: Agenda): Clock => ({
  now: () => instant(agenda.now),
  every: (milliseconds, tick) => {
    let callOff = (): void => undefined;
    const again = (): void => {
      callOff = agenda.at(agenda.now + milliseconds, () => {
        again();
        tick();
      });
    };
    again();
    return () => callOff();
  },
});

/** Lets events happen, and promises settle between them, until the work is done. */
export const runOn = async <T>(agenda: Agenda, work: Promise<T>): Promise<T> => {
  const progress = { isDone: false };
  const settled = work.finally(() => {
    progress.isDone = true;
  });
  while (!progress.isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    if (!progress.isDone && !agenda.step()) throw new Error('nothing is left to wait for');
  }
  return settled;
};

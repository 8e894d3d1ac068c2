import type { Clock } from '../model/clock.ts';
import { instant } from '../model/quantity.ts';

interface Event {
  readonly at: number;
  readonly run: () => void;
  isCalledOff: boolean;
}

/** Events in the order of their times; of those at one time, the one that was set first. */
export class Agenda {
  now = 0;
  readonly #events: Event[] = [];

  at(at: number, run: () => void): () => void {
    const event = { at, run, isCalledOff: false };
    // Most are set for later than all others.
    let place = this.#events.length;
    while (place > 0 && this.#events[place - 1]!.at > at) place -= 1;
    this.#events.splice(place, 0, event);
    return () => {
      event.isCalledOff = true;
    };
  }

  /** Runs the next event; false when there is none. */
  step(): boolean {
    let next = this.#events.shift();
    while (next?.isCalledOff === true) next = this.#events.shift();
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

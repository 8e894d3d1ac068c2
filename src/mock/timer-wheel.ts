/** A deadline in the wheel; `run` is `null` once it was called off or has come. */
interface Entry {
  readonly due: number;
  run: (() => void) | null;
}

/** Slots of one millisecond, a power of two; later deadlines wait outside. */
const slots = 2048;

/** What the wheel needs of the event loop. */
export interface Loop {
  /** Milliseconds on a monotonic clock. */
  now(): number;
  /** Calls `wake` after about so many milliseconds; the returned function calls it off. */
  after(milliseconds: number, wake: () => void): () => void;
}

/**
 * Deadlines by the millisecond: thousands of them share one timer of the event loop. Each wake runs
 * what has fallen due by then to the fraction of a millisecond, so that none is ever early.
 */
export class TimerWheel {
  readonly #loop: Loop;
  readonly #ring: Entry[][] = Array.from({ length: slots }, () => []);
  #waiting = 0;
  /** All slots before this millisecond's are empty. */
  #turned: number;
  /** The millisecond for which the timer is set. */
  #armed = Number.POSITIVE_INFINITY;
  #disarm = (): void => undefined;

  constructor(loop: Loop) {
    this.#loop = loop;
    this.#turned = Math.floor(loop.now());
  }

  /** Runs `run` once the clock has reached `due`; the returned function calls it off. */
  at(due: number, run: () => void): () => void {
    const now = this.#loop.now();
    if (due - now > slots / 2) {
      let callOff = this.#loop.after(due - now - slots / 4, () => {
        callOff = this.at(due, run);
      });
      return () => callOff();
    }
    if (this.#waiting === 0) this.#turned = Math.floor(now);
    const entry: Entry = { due, run };
    const tick = Math.max(Math.floor(due), this.#turned);
    this.#ring[tick % slots]!.push(entry);
    this.#waiting += 1;
    if (tick < this.#armed) this.#arm(tick);
    return () => {
      entry.run = null;
    };
  }

  #arm(tick: number): void {
    this.#disarm();
    this.#armed = tick;
    this.#disarm = this.#loop.after(Math.max(0, tick - this.#loop.now()), this.#turn);
  }

  readonly #turn = (): void => {
    this.#armed = Number.POSITIVE_INFINITY;
    const now = this.#loop.now();
    const until = Math.floor(now);
    for (; this.#turned < until && this.#waiting > 0; this.#turned += 1) this.#runDue(now);
    this.#turned = until;
    this.#runDue(now);
    if (this.#waiting === 0) return;
    let next = this.#turned;
    while (this.#ring[next % slots]!.length === 0) next += 1;
    if (next < this.#armed) this.#arm(next);
  };

  /** Runs what has come of the slot of `#turned`; the rest of it stays. */
  #runDue(now: number): void {
    const slot = this.#turned % slots;
    const entries = this.#ring[slot]!;
    if (entries.length === 0) return;
    const later = entries.filter(({ due }) => due > now);
    this.#ring[slot] = later;
    this.#waiting -= entries.length - later.length;
    for (const entry of entries) {
      if (entry.due > now) continue;
      const { run } = entry;
      entry.run = null;
      run?.();
    }
  }
}

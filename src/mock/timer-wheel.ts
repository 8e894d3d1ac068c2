/** A deadline in the wheel or outside, and how to call it off there; `run` is `null` once it was called off. */
interface Entry {
  due: number;
  run: (() => number | null) | null;
  leave: (() => void) | null;
}

/** Slots of one millisecond; later deadlines wait outside. */
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
  /** The earliest deadline, for which the timer is set. */
  #armed = Number.POSITIVE_INFINITY;
  #disarm = (): void => undefined;

  constructor(loop: Loop) {
    this.#loop = loop;
    this.#turned = Math.floor(loop.now());
  }

  /**
   * Runs `run` once the clock has reached `due`, then at each instant that it returns, until that is `null`; the
   * returned function calls off what is left.
   */
  series(due: number, run: () => number | null): () => void {
    const entry: Entry = { due, run, leave: null };
    this.#place(entry, this.#loop.now());
    return () => {
      entry.run = null;
      entry.leave?.();
    };
  }

  #place(entry: Entry, now: number): void {
    const { due } = entry;
    this.#turned = Math.max(this.#turned, Math.floor(Math.min(now, this.#armed)));
    if (due - this.#turned >= slots - 1) {
      entry.leave = this.#loop.after(Math.max(0, due - now - slots / 2), () =>
        this.#place(entry, this.#loop.now()),
      );
      return;
    }
    entry.leave = null;
    this.#slot(Math.max(Math.floor(due), this.#turned)).push(entry);
    this.#waiting += 1;
    if (due < this.#armed) this.#arm(due, now);
  }

  #slot(tick: number): Entry[] {
    return this.#ring[tick % slots]!;
  }

  #arm(due: number, now: number): void {
    this.#disarm();
    this.#armed = due;
    this.#disarm = this.#loop.after(Math.max(0, due - now), this.#turn);
  }

  readonly #turn = (): void => {
    const now = this.#loop.now();
    const from = this.#turned;
    // What is set meanwhile stands in the last of these slots or later, and needs no timer before this is through.
    this.#turned = Math.floor(now);
    this.#armed = Number.NEGATIVE_INFINITY;
    for (let tick = from; tick <= this.#turned && this.#waiting > 0; tick += 1) {
      this.#runDue(tick, now);
    }
    this.#armed = Number.POSITIVE_INFINITY;
    if (this.#waiting > 0) this.#arm(this.#earliest(), this.#loop.now());
  };

  /** The earliest of the deadlines that wait; there is one. */
  #earliest(): number {
    let tick = this.#turned;
    while (this.#slot(tick).length === 0) tick += 1;
    return this.#slot(tick).reduce((least, { due }) => Math.min(least, due), Infinity);
  }

  /** Runs what has come of a slot; the rest of it stays. */
  #runDue(tick: number, now: number): void {
    const entries = this.#slot(tick);
    if (entries.length === 0) return;
    const later: Entry[] = [];
    this.#ring[tick % slots] = later;
    for (const entry of entries) {
      if (entry.due > now) {
        later.push(entry);
        continue;
      }
      this.#waiting -= 1;
      const again = entry.run?.() ?? null;
      // It may have been called off by what it did.
      if (again === null || entry.run === null) continue;
      entry.due = again;
      this.#place(entry, now);
    }
  }
}

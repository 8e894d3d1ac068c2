import type { Recurring } from './mock-clock.ts';

/** What is in the wheel or outside, and how to call it off there; `recurring` is `null` once it was called off. */
interface WheelEntry {
  recurring: Recurring | null;
  cancel: (() => void) | null;
}

/**
 * The entries of one slot and when each of them is due: instants stand apart, so that nobody touches an entry before
 * its time.
 */
class WheelSlot {
  readonly #dues: number[] = [];
  readonly #entries: (WheelEntry | null)[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(due: number, entry: WheelEntry): void {
    this.#dues[this.#count] = due;
    this.#entries[this.#count] = entry;
    this.#count += 1;
  }

  earliest(): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.#count; i += 1) least = Math.min(least, this.#dues[i]!);
    return least;
  }

  /** Takes out what is due by `now` and hands it to `run`, which may add more; that stays until the next time. */
  runDue(now: number, run: (entry: WheelEntry) => void): void {
    const initialCount = this.#count;
    let kept = 0;
    const keep = (i: number): void => {
      this.#dues[kept] = this.#dues[i]!;
      this.#entries[kept] = this.#entries[i]!;
      kept += 1;
    };
    for (let i = 0; i < initialCount; i += 1) {
      if (this.#dues[i]! > now) keep(i);
      else run(this.#entries[i]!);
    }
    for (let i = initialCount; i < this.#count; i += 1) keep(i);
    this.#entries.fill(null, kept, this.#count);
    this.#count = kept;
  }
}

/** Slots of one millisecond; later deadlines wait outside. */
const slotCount = 2048;

/** What the wheel needs of the event loop. */
export interface EventLoopTimers {
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
  readonly #loop: EventLoopTimers;
  readonly #ring: (WheelSlot | null)[] = Array.from({ length: slotCount }, () => null);
  /** What emptied slots have left, for others to use: arrays that live for one gap of a stream are what the collector promotes. */
  readonly #freeSlots: WheelSlot[] = [];
  #waiting = 0;
  /** All slots before this millisecond's are empty. */
  #currentTick: number;
  /** The earliest deadline, for which the timer is set. */
  #armed = Number.POSITIVE_INFINITY;
  #disarm = (): void => undefined;

  constructor(loop: EventLoopTimers) {
    this.#loop = loop;
    this.#currentTick = Math.floor(loop.now());
  }

  /**
   * Runs `recurring` once the clock has reached `due`, then at each instant that it returns, until that is `null`; the
   * returned function calls off what is left.
   */
  series(due: number, recurring: Recurring): () => void {
    const entry: WheelEntry = { recurring, cancel: null };
    this.#place(entry, due, this.#loop.now());
    return () => {
      entry.recurring = null;
      entry.cancel?.();
    };
  }

  #place(entry: WheelEntry, due: number, now: number): void {
    this.#currentTick = Math.max(this.#currentTick, Math.floor(Math.min(now, this.#armed)));
    if (due - this.#currentTick >= slotCount - 1) {
      entry.cancel = this.#loop.after(Math.max(0, due - now - slotCount / 2), () =>
        this.#place(entry, due, this.#loop.now()),
      );
      return;
    }
    entry.cancel = null;
    const slot = Math.max(Math.floor(due), this.#currentTick) % slotCount;
    const slotEntries = (this.#ring[slot] ??= this.#freeSlots.pop() ?? new WheelSlot());
    slotEntries.add(due, entry);
    this.#waiting += 1;
    if (due < this.#armed) this.#arm(due, now);
  }

  #arm(due: number, now: number): void {
    this.#disarm();
    this.#armed = due;
    this.#disarm = this.#loop.after(Math.max(0, due - now), this.#turn);
  }

  readonly #turn = (): void => {
    const now = this.#loop.now();
    const from = this.#currentTick;
    // What is set meanwhile stands in the last of these slots or later, and needs no timer before this is through.
    this.#currentTick = Math.floor(now);
    this.#armed = Number.NEGATIVE_INFINITY;
    for (let tick = from; tick <= this.#currentTick && this.#waiting > 0; tick += 1) {
      this.#runDue(tick, now);
    }
    this.#armed = Number.POSITIVE_INFINITY;
    if (this.#waiting > 0) this.#arm(this.#earliest(), this.#loop.now());
  };

  /** The earliest of the deadlines that wait; there is one. */
  #earliest(): number {
    let tick = this.#currentTick;
    for (;;) {
      const slotEntries = this.#ring[tick % slotCount];
      if (slotEntries) return slotEntries.earliest();
      tick += 1;
    }
  }

  /** Runs what has come of a slot; the rest of it stays. */
  #runDue(tick: number, now: number): void {
    const slotEntries = this.#ring[tick % slotCount];
    if (!slotEntries) return;
    slotEntries.runDue(now, (entry) => {
      this.#waiting -= 1;
      const nextDue = entry.recurring?.run() ?? null;
      // It may have been called off by what it did.
      if (nextDue !== null && entry.recurring !== null) this.#place(entry, nextDue, now);
    });
    if (slotEntries.count > 0) return;
    this.#ring[tick % slotCount] = null;
    this.#freeSlots.push(slotEntries);
  }
}

import { type MockClock, once, type Recurring } from './mock-clock.ts';

/**
 * An entry of the wheel. A cancellation sets `recurring` to `null`. `cancel` is set while the entry waits outside the
 * wheel.
 */
interface WheelEntry {
  recurring: Recurring | null;
  cancel: (() => void) | null;
}

/** A slot of the wheel. Due times are in a separate array, so entries are not accessed before they are due. */
class WheelSlot {
  count = 0;
  readonly #dues: number[] = [];
  readonly #entries: (WheelEntry | null)[] = [];

  add(due: number, entry: WheelEntry): void {
    this.#dues[this.count] = due;
    this.#entries[this.count] = entry;
    this.count += 1;
  }

  earliest(): number {
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < this.count; i += 1) least = Math.min(least, this.#dues[i]!);
    return least;
  }

  /**
   * Removes the entries that are due at `now` and passes them to `run`. If `run` adds further entries, these entries
   * are left for a later call.
   */
  runDue(now: number, run: (entry: WheelEntry) => void): void {
    const initialCount = this.count;
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
    for (let i = initialCount; i < this.count; i += 1) keep(i);
    this.#entries.fill(null, kept, this.count);
    this.count = kept;
  }
}

/** The number of slots, each of one millisecond. Entries that are due later wait outside the wheel. */
const slotCount = 2048;

interface EventLoopTimers {
  now(): number;
  /** Calls `wake` after about `milliseconds`. The returned function cancels the call. */
  after(milliseconds: number, wake: () => void): () => void;
}

/** Runs thousands of entries with one timer of the event loop. No entry runs before its exact due time. */
export class TimerWheel {
  readonly #loop: EventLoopTimers;
  readonly #ring: (WheelSlot | null)[] = Array.from({ length: slotCount }, () => null);
  /**
   * Empty slots for reuse. Without reuse, the garbage collector would promote the arrays of slots, since a slot lives
   * as long as the gap between two tokens of a stream.
   */
  readonly #freeSlots: WheelSlot[] = [];
  #waiting = 0;
  /** All slots before this millisecond are empty. */
  #currentTick: number;
  /** The timer is set to this due time, the earliest of all entries. */
  #armed = Number.POSITIVE_INFINITY;
  #disarm = (): void => undefined;

  constructor(loop: EventLoopTimers) {
    this.#loop = loop;
    this.#currentTick = Math.floor(loop.now());
  }

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
      const placeAgain = (): void => this.#place(entry, due, this.#loop.now());
      entry.cancel = this.#loop.after(Math.max(0, due - now - slotCount / 2), placeAgain);
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
    // Entries that are added during this loop go into the loop's last slot or a later slot. They need no timer until
    // the loop has ended.
    this.#currentTick = Math.floor(now);
    this.#armed = Number.NEGATIVE_INFINITY;
    for (let tick = from; tick <= this.#currentTick && this.#waiting > 0; tick += 1) {
      this.#runDue(tick, now);
    }
    this.#armed = Number.POSITIVE_INFINITY;
    if (this.#waiting > 0) this.#arm(this.#earliest(), this.#loop.now());
  };

  #earliest(): number {
    let tick = this.#currentTick;
    for (;;) {
      const slotEntries = this.#ring[tick % slotCount];
      if (slotEntries) return slotEntries.earliest();
      tick += 1;
    }
  }

  #runDue(tick: number, now: number): void {
    const slotEntries = this.#ring[tick % slotCount];
    if (!slotEntries) return;
    slotEntries.runDue(now, (entry) => {
      this.#waiting -= 1;
      const nextDue = entry.recurring?.run() ?? null;
      // The entry may have cancelled itself.
      if (nextDue !== null && entry.recurring !== null) this.#place(entry, nextDue, now);
    });
    if (slotEntries.count > 0) return;
    this.#ring[tick % slotCount] = null;
    this.#freeSlots.push(slotEntries);
  }
}

/** The maximum delay of setTimeout, in ms. A longer delay takes several timers. */
const longestDelay = 2 ** 31 - 1;
/** Waits of less than this many ms consist of naps, since timers of the event loop count only whole milliseconds. */
const napThreshold = 2;
/** The maximum length of a nap, in ms. A request that arrives during a nap waits until the nap ends. */
const longestNap = 0.5;

/**
 * The work for the end of the current turn of the event loop. A thread has one event loop, so all clocks of a thread
 * share one queue.
 */
let endOfTurnQueue: (() => void)[] = [];

const runEndOfTurnQueue = (): void => {
  const all = endOfTurnQueue;
  endOfTurnQueue = [];
  for (const run of all) run();
};

const cell = new Int32Array(new SharedArrayBuffer(4));

/** Sleeps without using the CPU. No code ever wakes up the cell, so the sleep always takes the whole time. */
const nap = (milliseconds: number): void => void Atomics.wait(cell, 0, 0, milliseconds);

/** Calls `wake` after a delay, exact to 0.1 ms. The event loop reads its sockets after each nap. */
const wakeAfterNaps = (milliseconds: number, wake: () => void): (() => void) => {
  const due = performance.now() + milliseconds;
  const poll = (): void => {
    // The work for the end of the turn must not wait for the nap.
    runEndOfTurnQueue();
    const left = due - performance.now();
    if (left <= 0) return wake();
    nap(Math.min(left, longestNap));
    immediate = setImmediate(poll);
  };
  let immediate = setImmediate(poll);
  return () => clearImmediate(immediate);
};

/**
 * Calls `wake` after a delay or a little earlier. If `wake` is called early, the caller must wait for the remaining
 * time.
 */
const wakeAfter = (milliseconds: number, wake: () => void): (() => void) => {
  const wakeFully = (): void => {
    wake();
    // Answers that are due now are written before the next requests are read.
    runEndOfTurnQueue();
  };
  if (milliseconds < napThreshold) return wakeAfterNaps(milliseconds, wakeFully);
  const delay = Math.min(longestDelay, Math.floor(milliseconds - napThreshold / 2));
  const timer = setTimeout(wakeFully, delay);
  return () => clearTimeout(timer);
};

/** Creates a clock on the system's monotonic scale (`process.hrtime`), which clients on the same machine share. */
export const realClock = (): MockClock => {
  // A pause of the machine between the two readings makes their difference smaller, never larger. So the largest
  // difference is the most exact.
  const differences = Array.from(
    { length: 16 },
    () => Number(process.hrtime.bigint()) / 1e6 - performance.now(),
  );
  const origin = Math.max(...differences);
  const now = (): number => origin + performance.now();
  const wheel = new TimerWheel({ now, after: wakeAfter });
  return {
    now,
    wall: () => Date.now(),
    at: (due, run) => wheel.series(due, once(run)),
    series: (due, recurring) => wheel.series(due, recurring),
    atEndOfTurn: (run) => {
      if (endOfTurnQueue.push(run) === 1) setImmediate(runEndOfTurnQueue);
    },
  };
};

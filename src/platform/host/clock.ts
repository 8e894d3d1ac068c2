import type { Alarm, Clock } from '../../model/clock.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import { ReadTurns } from './read-turns.ts';

/**
 * When an alarm's instant is at most this many ms away, naps replace the timer, since a timer can be a millisecond
 * late.
 */
const timerLead = 1.2;
/**
 * The maximum length of a nap, in ms. A nap is a pause between two checks of the sockets while an alarm is near. No
 * socket is read during a nap.
 */
const longestNap = 0.25;
/**
 * A nap is taken only if the alarm's instant is more than this many ms away, since the system cannot keep shorter
 * pauses.
 */
const shortestNap = 0.06;
/**
 * If an alarm is more than this many ms late, the next read rings it. While an event loop has thousands of reads, it
 * runs neither timers nor other callbacks, so the alarm cannot ring by itself.
 */
const longestDelay = 4;
/**
 * The maximum length of a timer, in ms. Node's timers overflow after 24 days, and one wake-up per hour costs nothing.
 */
const longestTimer = 3_600_000;
/** If alarms come closer together than this many ms, only timers are used, because naps would delay all reads. */
const leastDistance = 5;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

interface AlarmClock {
  now(): Instant;
  /** Called at moments when the event loop certainly runs: in a timer, after a nap, and after an alarm. */
  onAwake(): void;
  /** Called after the event loop has checked its sockets, even if there was nothing to read. */
  onEmptyTurn(): void;
}

/**
 * An alarm that is as exact as the machine allows (some hundredths of a ms). The event loop sleeps while the alarm's
 * instant is far away. A timer ends about a millisecond before the instant. From then on, the thread takes naps of a
 * quarter of a millisecond, and the event loop checks the sockets between two naps.
 */
class NappingAlarm implements Alarm {
  readonly #clock: AlarmClock;
  readonly #ring: () => void;
  #target: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer ends; valid only while there is a timer. */
  #timerAt = 0;
  /** Whether the alarm is so near that the event loop no longer sleeps, except for naps. */
  #isNear = false;
  #lastRing = Number.NEGATIVE_INFINITY;

  constructor(clock: AlarmClock, ring: () => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  set(at: Instant | null): void {
    if (at === this.#target) return;
    this.#target = at;
    this.#approach();
  }

  /** Rings the alarm if its instant is more than `longestDelay` in the past. */
  ringIfLate(now: Instant): void {
    if (this.#target !== null && now - this.#target > longestDelay) this.#ringOrApproach();
  }

  stop(): void {
    this.#target = null;
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
  }

  #approach(): void {
    if (this.#target === null || this.#isNear) return;
    const now = this.#clock.now();
    const wait = this.#target - now;
    const isFrequent = this.#target - this.#lastRing < leastDistance;
    if (wait <= timerLead && !(isFrequent && wait > 0)) {
      this.#isNear = true;
      // `#beginNaps` sets a second immediate, since the first can run before this turn of the event loop checks the
      // sockets.
      setImmediate(this.#beginNaps);
      return;
    }
    const until =
      now + Math.max(1, Math.min(longestTimer, Math.floor(wait - (isFrequent ? 0 : timerLead))));
    if (this.#timer !== null && this.#timerAt <= until) return;
    clearTimeout(this.#timer ?? undefined);
    this.#timerAt = until;
    this.#timer = setTimeout(this.#onTimer, until - now);
  }

  #ringOrApproach(): void {
    if (this.#target === null) return;
    const now = this.#clock.now();
    if (now < this.#target) return this.#approach();
    this.#lastRing = now;
    this.#target = null;
    this.#ring();
    this.#clock.onAwake();
  }

  readonly #onTimer = (): void => {
    this.#timer = null;
    this.#clock.onAwake();
    this.#ringOrApproach();
  };

  readonly #beginNaps = (): void => void setImmediate(this.#nap);

  readonly #nap = (): void => {
    this.#clock.onEmptyTurn();
    const remaining = (this.#target ?? Number.POSITIVE_INFINITY) - this.#clock.now();
    if (remaining > timerLead || remaining <= 0) {
      this.#isNear = false;
      return this.#ringOrApproach();
    }
    if (remaining > shortestNap) {
      Atomics.wait(sleeper, 0, 0, Math.min(longestNap, remaining - shortestNap / 2));
      this.#clock.onAwake();
    }
    setImmediate(this.#nap);
  };
}

/** The clock of a run. Its instant 0 is also known on the machine's monotonic clock, which all processes share. */
export interface RunClock extends Clock {
  /** What the machine's monotonic clock (`process.hrtime`) shows at instant 0 of the run, in ms. */
  readonly machineZero: number;
  /**
   * Returns the maximum time that the bytes read at the instant `at` may have waited in the event loop, in ms; 0 for
   * less than a tenth of a ms.
   */
  readonly readDelay: (at: Instant) => number;
  /** Returns the delays of several reads, whose instants must be in ascending order. */
  readonly readDelays: (instants: Float64Array) => number[];
  /** Rings the alarms that are more than `longestDelay` late. This function is called after each read. */
  readonly ringIfLate: (now: Instant) => void;
  /**
   * Runs some work once, after this turn of the event loop has read its sockets and before the next turn reads them.
   */
  readonly afterReads: (work: () => void) => void;
}

/**
 * Returns the time on the machine's monotonic clock at which this thread's `performance.now()` was 0, exact to some
 * microseconds. In each thread, `performance.now()` counts from the start of the thread.
 */
const threadZero = (): number => {
  // A pause between the reading of `hrtime` and the reading of `performance.now()` makes the difference smaller, never
  // larger. So the largest difference is the most exact.
  const differences = Array.from(
    { length: 16 },
    () => Number(process.hrtime.bigint()) / 1e6 - performance.now(),
  );
  return Math.max(...differences);
};

const reads = new ReadTurns(performance.now(), {
  now: () => performance.now(),
  idle: () => performance.nodeTiming.idleTime,
  afterReads: (callback) => void setImmediate(callback),
});

/** Calls several functions with one shared timer, since each timer wakes up the thread. */
class Ticks {
  readonly #runs = new Set<() => void>();
  readonly #milliseconds: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(milliseconds: number) {
    this.#milliseconds = milliseconds;
  }

  add(run: () => void): void {
    this.#runs.add(run);
    this.#timer ??= setInterval(() => this.#runAll(), this.#milliseconds);
  }

  remove(run: () => void): void {
    this.#runs.delete(run);
    if (this.#runs.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
    reads.timerStopped();
  }

  #runAll(): void {
    reads.woke(performance.now());
    for (const run of this.#runs) run();
    const ended = performance.now();
    reads.woke(ended);
    if (this.#timer !== null) reads.timerSet(ended + this.#milliseconds);
  }
}

const ticksByInterval = new Map<number, Ticks>();

const every = (milliseconds: number, tick: () => void): (() => void) => {
  const ticks = ticksByInterval.get(milliseconds) ?? new Ticks(milliseconds);
  ticksByInterval.set(milliseconds, ticks);
  // A new function is made for each call, since the caller may pass the same function twice.
  const run = (): void => tick();
  ticks.add(run);
  return () => ticks.remove(run);
};

const clockOf = (machineZero: number, thread: number): RunClock => {
  const zero = thread - machineZero;
  const now = (): Instant => instant(performance.now() + zero);
  const alarms: NappingAlarm[] = [];
  return {
    machineZero,
    now,
    read: () => {
      const at = performance.now();
      reads.read(at);
      return instant(at + zero);
    },
    readDelay: (at) => reads.delayAt(at - zero),
    readDelays: (instants) => reads.delaysAt(instants, -zero),
    ringIfLate: (at) => {
      for (const alarm of alarms) alarm.ringIfLate(at);
    },
    afterReads: (work) =>
      void setImmediate(() => {
        work();
        reads.woke(performance.now());
      }),
    every,
    alarm: (ring) => {
      const onAwake = (): void => reads.woke(performance.now());
      const onEmptyTurn = (): void => reads.looked(performance.now());
      const alarm = new NappingAlarm({ now, onAwake, onEmptyTurn }, ring);
      alarms.push(alarm);
      return alarm;
    },
  };
};

/**
 * Creates a clock whose instant 0 is the given time on the machine's monotonic clock, so that several threads can share
 * it. Earlier instants are negative.
 */
export const clockFrom = (machineZero: number): RunClock => clockOf(machineZero, threadZero());

/**
 * Reads another clock several times, and returns the reading that took the least time: `time` on the other clock, and
 * `at` on `performance.now()` at the same moment.
 */
export const readBeside = (now: () => number): { readonly time: number; readonly at: number } => {
  const readings = Array.from({ length: 16 }, () => {
    const before = performance.now();
    const time = now();
    const after = performance.now();
    return { time, at: (before + after) / 2, took: after - before };
  });
  return readings.toSorted((a, b) => a.took - b.took)[0]!;
};

/** Starts a clock whose instant 0 is `lead` ms after `from`, a time on `performance.now()` (by default the present). */
export const startClock = (lead = 0, from?: number): RunClock => {
  const thread = threadZero();
  return clockOf(thread + (from ?? performance.now()) + lead, thread);
};

export const wallClockNow = (): number => Date.now();

/**
 * Two readings of `wallZero` that differ by at most this many ms count as equal. Equal readings were not disturbed by a
 * pause.
 */
const sameReading = 0.01;

/**
 * Returns the wall-clock time at which this thread's `performance.now()` was 0, exact to some microseconds. The wall
 * clock counts whole milliseconds, so this function reads the wall clock at a moment when its value changes. A pause
 * makes a reading smaller, never larger. So the result is the largest reading, as soon as a second reading agrees with
 * it. (`performance.timeOrigin` is wrong by the pauses during the start of the process.)
 */
export const wallZero = (): number => {
  let [zero, next] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY];
  // If the wall clock does not change in time, its present value is used. If no two readings agree, the largest reading
  // is used.
  const until = performance.now() + 20;
  for (let ticks = 0; ticks < 3 || (zero - next > sameReading && performance.now() < until);) {
    const last = Date.now();
    let now = last;
    while (now === last && performance.now() < until) now = Date.now();
    const reading = now - performance.now();
    next = Math.max(next, Math.min(reading, zero));
    zero = Math.max(zero, reading);
    ticks += 1;
  }
  return zero;
};

let steadyZero: number | null = null;

/**
 * Returns the wall-clock time in ms, with fractions. The wall clock is read only at the first call. All later times are
 * computed with the monotonic clock, so the time does not jump when the wall clock is set.
 */
export const steadyNow = (): number => {
  steadyZero ??= wallZero();
  return steadyZero + performance.now();
};

/** Returns the machine's monotonic clock in ms, which all processes and threads of the machine share. */
export const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Returns the wall-clock time plus `lead` ms in ISO 8601, for the start of a run in its result. */
export const wallClock = (lead = 0): string => new Date(Date.now() + lead).toISOString();

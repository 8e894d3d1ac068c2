/** The shortest delay that is stored, in ms: a read itself takes some hundredths. */
const shortest = 0.1;

/** The idle time from which the loop has slept, in ms. */
const shortestSleep = 0.001;

/** How late a timer may be, in ms, before the loop must have been kept from running. */
const latestTimer = 2.5;
/** How early a timer can fire, in ms. */
const earliestTimer = 1.5;

/** How many turns are remembered. */
const capacity = 1 << 15;

/** What turns are measured by. */
export interface LoopProbe {
  readonly now: () => number;
  /** Milliseconds for which the loop has slept so far. */
  readonly idle: () => number;
  /** Calls back once all reads of the current turn are done. */
  readonly afterReads: (callback: () => void) => void;
}

/**
 * Measures how long the bytes of each read can have waited for this event loop, at most. A loop that sleeps looks at its sockets the
 * moment one is readable, so its reads are late by what ran since it woke. A loop that did not sleep looked at them at its previous
 * reads, so the bytes came after those. A loop that slept beyond a timer did not run (stopped, or without a CPU), so they can have
 * come since it fell asleep. Shorter times without a CPU are not included. Instants are those of `performance.now()`.
 */
export class ReadTurns {
  readonly #probe: LoopProbe;
  /** For each stored turn, ascending: its first and last read, and since when its bytes can have waited. */
  readonly #first = new Float64Array(capacity);
  readonly #last = new Float64Array(capacity);
  readonly #since = new Float64Array(capacity);
  #stored = 0;
  /** The greatest delay of a turn that was overwritten. */
  #forgotten = 0;
  /** The earliest instant at which the loop can last have looked at its sockets. */
  #looked: number;
  /** When the loop was last seen awake, and how long it had slept until then. */
  #awake: number;
  #idle: number;
  /** When a periodic timer is due; the loop cannot sleep longer. */
  #timerDue = Number.POSITIVE_INFINITY;
  #isReading = false;
  #turnFirst = Number.POSITIVE_INFINITY;
  #turnLast = 0;
  #turnSince = 0;

  constructor(now: number, probe: LoopProbe) {
    this.#probe = probe;
    this.#looked = now;
    this.#awake = now;
    this.#idle = probe.idle();
  }

  /** Call it whenever the loop is known to run: at both ends of a timer's callback, and after longer work. */
  woke(now: number): void {
    this.#noteAwake(now);
    if (this.#timerDue - now <= earliestTimer) this.#timerDue = Number.POSITIVE_INFINITY;
  }

  /** Call it when a timer is set that will not be moved. */
  timerSet(due: number): void {
    this.#timerDue = Math.min(this.#timerDue, due);
  }

  /** Call it when such a timer is stopped. */
  timerStopped(): void {
    this.#timerDue = Number.POSITIVE_INFINITY;
  }

  /** Call it when the loop has looked at its sockets since it was last seen awake. */
  looked(now: number): void {
    if (this.#isReading) return;
    const awake = this.#awake;
    this.#noteAwake(now);
    this.#looked = Math.max(this.#looked, awake);
  }

  /** Call it first at every read. */
  read(now: number): void {
    if (!this.#isReading) this.#beginTurn(now);
    this.#turnLast = now;
  }

  /** How long the bytes that were read at `at` can have waited, in ms; 0 for less than a tenth. */
  delayAt(at: number): number {
    if (at >= this.#turnFirst) return this.#delayOf(at - this.#turnSince);
    return this.#inTurn(this.#turnBefore(at), at);
  }

  delaysAt(instants: Float64Array, zero: number): number[] {
    const [first, last] = [instants[0], instants.at(-1)];
    if (first === undefined || last === undefined) return [];
    if (this.#isClear(zero + first, zero + last)) return Array.from(instants, () => 0);
    const delays: number[] = [];
    let turn = this.#turnBefore(zero + first);
    // Not by `for … of`: what an iterator returns is garbage.
    for (let i = 0; i < instants.length; i += 1) {
      const at = zero + instants[i]!;
      while (turn + 1 < this.#stored && this.#first[(turn + 1) % capacity]! <= at) turn += 1;
      const isCurrent = at >= this.#turnFirst;
      delays.push(isCurrent ? this.#delayOf(at - this.#turnSince) : this.#inTurn(turn, at));
    }
    return delays;
  }

  /** The delay of a read at `at`, where `turn` is the last one that began before. */
  #inTurn(turn: number, at: number): number {
    if (turn < this.#oldest) return this.#forgotten;
    const place = turn % capacity;
    return at > this.#last[place]! ? 0 : this.#delayOf(at - this.#since[place]!);
  }

  /** Whether no turn between two instants is stored, which most streams of a calm loop find. */
  #isClear(first: number, last: number): boolean {
    const turn = this.#turnBefore(first);
    if (last >= this.#turnFirst || this.#turnBefore(last) !== turn) return false;
    return turn < this.#oldest ? this.#forgotten === 0 : first > this.#last[turn % capacity]!;
  }

  get #oldest(): number {
    return Math.max(0, this.#stored - capacity);
  }

  /** Notes that the loop is awake, and when it looked at its sockets at the end of a sleep; `false` if it has not slept. */
  #noteAwake(now: number): boolean {
    const idle = this.#probe.idle();
    const slept = idle - this.#idle;
    const hasSlept = slept > shortestSleep;
    if (hasSlept) {
      const isLate = now - this.#timerDue > latestTimer;
      this.#looked = Math.min(now, isLate ? this.#awake : this.#awake + slept);
    }
    this.#awake = now;
    this.#idle = idle;
    return hasSlept;
  }

  #beginTurn(now: number): void {
    this.#isReading = true;
    const awake = this.#awake;
    const hasSlept = this.#noteAwake(now);
    this.#turnSince = this.#looked;
    this.#turnFirst = now;
    // The sockets that are read now were looked at in this turn, which began after the loop was last seen awake.
    if (!hasSlept) this.#looked = Math.max(this.#looked, awake);
    this.#probe.afterReads(this.#endTurn);
  }

  readonly #endTurn = (): void => {
    this.#isReading = false;
    this.#noteAwake(this.#probe.now());
    if (this.#turnLast - this.#turnSince >= shortest) this.#store();
    this.#turnFirst = Number.POSITIVE_INFINITY;
  };

  #store(): void {
    const place = this.#stored % capacity;
    if (this.#stored >= capacity)
      this.#forgotten = Math.max(this.#forgotten, this.#last[place]! - this.#since[place]!);
    this.#first[place] = this.#turnFirst;
    this.#last[place] = this.#turnLast;
    this.#since[place] = this.#turnSince;
    this.#stored += 1;
  }

  #delayOf(waited: number): number {
    return waited < shortest ? 0 : waited;
  }

  /** The number of the last stored turn that began at `at` or before; one below the oldest if none did. */
  #turnBefore(at: number): number {
    let low = this.#oldest;
    let high = this.#stored;
    while (low < high) {
      const middle = Math.floor((low + high) / 2);
      if (this.#first[middle % capacity]! <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

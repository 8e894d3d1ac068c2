/**
 * The shortest delay that is stored, in ms. Shorter delays are ignored, since even a read that is not delayed takes
 * some hundredths of a ms.
 */
const shortest = 0.1;

/** The event loop counts as having slept if it was idle for more than this many ms. */
const shortestSleep = 0.001;

/**
 * If the event loop can run, its timers are at most this many ms late. If a timer is later, the system kept the event
 * loop from running.
 */
const latestTimer = 2.5;
/** A timer can ring up to this many ms early. */
const earliestTimer = 1.5;

/** The number of turns of the event loop that are remembered. */
const capacity = 1 << 15;

export interface LoopProbe {
  readonly now: () => number;
  /** Returns how long the event loop has slept so far, in ms. */
  readonly idle: () => number;
  /** Calls a function when all reads of the current turn are done. */
  readonly afterReads: (callback: () => void) => void;
}

/**
 * Measures the maximum time that the bytes of each read may have waited for this event loop. There are three cases:
 * - The event loop has slept. It woke up when a socket became readable, so the bytes have waited at most since the
 *   wake-up.
 * - The event loop has not slept. It checked its sockets at its previous reads, so the bytes came after these reads.
 * - The event loop slept longer than a timer allows. The system kept it from running (the process was stopped, or had
 *   no CPU), and the bytes may have come at any time since it fell asleep. Shorter times without a CPU are not noticed.
 *
 * All instants are times of `performance.now()`.
 */
export class ReadTurns {
  readonly #probe: LoopProbe;
  /**
   * For each stored turn, in ascending order: the instant of its first read, the instant of its last read, and the
   * instant since which its bytes may have waited.
   */
  readonly #first = new Float64Array(capacity);
  readonly #last = new Float64Array(capacity);
  readonly #since = new Float64Array(capacity);
  #stored = 0;
  /** The longest delay among the turns that were overwritten. */
  #forgotten = 0;
  /** The event loop last checked its sockets at this instant or later. */
  #looked: number;
  /** When the event loop was last known to be awake. Until then, it had slept for `#idle` ms in total. */
  #awake: number;
  #idle: number;
  /** The instant at which the next timer is due. The event loop cannot sleep beyond this instant. */
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

  /**
   * Records that the event loop is running. This method must be called at the beginning and the end of each timer's
   * callback, and after longer work.
   */
  woke(now: number): void {
    this.#noteAwake(now);
    if (this.#timerDue - now <= earliestTimer) this.#timerDue = Number.POSITIVE_INFINITY;
  }

  /** Records that a timer was set that is due at the instant `due`. */
  timerSet(due: number): void {
    this.#timerDue = Math.min(this.#timerDue, due);
  }

  timerStopped(): void {
    this.#timerDue = Number.POSITIVE_INFINITY;
  }

  /** Records that the event loop has checked its sockets since it was last known to be awake. */
  looked(now: number): void {
    if (this.#isReading) return;
    const awake = this.#awake;
    this.#noteAwake(now);
    this.#looked = Math.max(this.#looked, awake);
  }

  /** Records a read. This method must be called at every read, before anything else is done. */
  read(now: number): void {
    if (!this.#isReading) this.#beginTurn(now);
    this.#turnLast = now;
  }

  /** Returns the maximum time that the bytes read at `at` may have waited, in ms; 0 for less than a tenth of a ms. */
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
    // `for … of` is not used, since its iterator creates garbage.
    for (let i = 0; i < instants.length; i += 1) {
      const at = zero + instants[i]!;
      while (turn + 1 < this.#stored && this.#first[(turn + 1) % capacity]! <= at) turn += 1;
      const isCurrent = at >= this.#turnFirst;
      delays.push(isCurrent ? this.#delayOf(at - this.#turnSince) : this.#inTurn(turn, at));
    }
    return delays;
  }

  /** Returns the delay of a read at `at`. `turn` is the number of the last stored turn that began at or before `at`. */
  #inTurn(turn: number, at: number): number {
    if (turn < this.#oldest) return this.#forgotten;
    const place = turn % capacity;
    return at > this.#last[place]! ? 0 : this.#delayOf(at - this.#since[place]!);
  }

  /**
   * Returns `true` only if no read between two instants was delayed. This shortcut covers most streams while the event
   * loop has little to do.
   */
  #isClear(first: number, last: number): boolean {
    const turn = this.#turnBefore(first);
    if (last >= this.#turnFirst || this.#turnBefore(last) !== turn) return false;
    return turn < this.#oldest ? this.#forgotten === 0 : first > this.#last[turn % capacity]!;
  }

  get #oldest(): number {
    return Math.max(0, this.#stored - capacity);
  }

  /**
   * Records that the event loop is awake. After a sleep, also records when the event loop checked its sockets at the
   * end of the sleep. Returns whether the event loop has slept since the last call.
   */
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
    // The event loop checked its sockets in this turn, and thus later than `awake`, when it was last known to be awake.
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

  /**
   * Returns the number of the last stored turn that began at or before `at`. If all stored turns began later, returns
   * the number of the oldest stored turn minus one.
   */
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

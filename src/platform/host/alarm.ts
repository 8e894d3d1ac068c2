import type { Alarm } from '../../model/clock.ts';
import type { Instant } from '../../model/quantity.ts';

/** Before the instant, in ms: Node's timers count whole milliseconds and can be one late. */
const lead = 1.2;
/** The longest that reads may wait for a nap, in ms; waking up from it takes some hundredths. */
const longestNap = 0.25;
/** A nap cannot be shorter, in ms. */
const shortestNap = 0.06;
/** Node's timers overflow after 24 days; waking up once an hour costs nothing. */
const longestTimer = 3_600_000;
/** More frequent rings, in ms apart, are on time by timers alone; napping between them would delay all reads. */
const leastDistance = 5;

const sleeper = new Int32Array(new SharedArrayBuffer(4));

/** What an alarm needs of its clock. */
export interface AlarmClock {
  now(): Instant;
  /** Called at the start of each turn that a timer began, and after each nap and ring. */
  onAwake(): void;
  /** Called where the loop has looked at its sockets since the last call of either, and may have found nothing to read. */
  onEmptyTurn(): void;
}

/**
 * Rings as exactly as the machine wakes up (some hundredths of a ms), without a turn of the loop while nothing is near: a
 * timer until a millisecond before, then naps of a quarter of a millisecond with a look at the sockets between them.
 */
class NappingAlarm implements Alarm {
  readonly #clock: AlarmClock;
  readonly #ring: () => void;
  #target: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  /** When the timer fires; meaningless without one. */
  #timerAt = 0;
  /** Whether the loop turns without sleeping until the target. */
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
    if (wait <= lead && !(isFrequent && wait > 0)) {
      this.#isNear = true;
      // In two steps: the first can come in the turn that set the alarm, before the loop looks at its sockets.
      setImmediate(this.#beginNaps);
      return;
    }
    const until =
      now + Math.max(1, Math.min(longestTimer, Math.floor(wait - (isFrequent ? 0 : lead))));
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
    if (remaining > lead || remaining <= 0) {
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

/** An alarm that is not set. */
export const openAlarm = (clock: AlarmClock, ring: () => void): Alarm =>
  new NappingAlarm(clock, ring);

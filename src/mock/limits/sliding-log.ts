import { atLeastOne, noop, type Meter, type MeterRule } from './meter.ts';

/** Amounts and their times, oldest first; expired entries are removed now and then. */
class UsageLog {
  readonly #window: number;
  #times: number[] = [];
  #amounts: number[] = [];
  #oldest = 0;
  #sum = 0;

  constructor(window: number) {
    this.#window = window;
  }

  sum(now: number): number {
    // The same sum as in `atMostFrom`: another order may differ in the last digit.
    while (this.#oldest < this.#times.length && this.#times[this.#oldest]! + this.#window <= now) {
      this.#sum -= this.#amounts[this.#oldest]!;
      this.#oldest += 1;
    }
    if (this.#oldest > 1024 && this.#oldest * 2 > this.#times.length) {
      this.#times = this.#times.slice(this.#oldest);
      this.#amounts = this.#amounts.slice(this.#oldest);
      this.#oldest = 0;
    }
    return this.#sum;
  }

  add(now: number, amount: number): void {
    this.#times.push(now);
    this.#amounts.push(amount);
    this.#sum += amount;
  }

  /** Subtracts from the newest entries. */
  removeNewest(amount: number): void {
    let left = Math.min(amount, this.#sum);
    this.#sum -= left;
    while (left > 0) {
      const last = this.#amounts.length - 1;
      const taken = Math.min(left, this.#amounts[last]!);
      left -= taken;
      this.#amounts[last]! -= taken;
      if (this.#amounts[last] === 0) {
        this.#amounts.pop();
        this.#times.pop();
      }
    }
  }

  /** When enough has expired that at most `maxLeft` is left. */
  atMostFrom(now: number, maxLeft: number): number {
    let left = this.sum(now);
    let at = now;
    for (let i = this.#oldest; left > maxLeft; i += 1) {
      left -= this.#amounts[i]!;
      at = this.#times[i]! + this.#window;
    }
    return at;
  }

  /** When the newest entry expires. */
  emptyAt(now: number): number {
    const newest = this.#times.at(-1);
    return newest === undefined ? now : Math.max(now, newest + this.#window);
  }
}

/** Each use expires after one window, so there are never more than the limit within any window. */
export const slidingLog = ({ limit, window }: MeterRule, countsRefusals: boolean): Meter => {
  const log = new UsageLog(window);
  return {
    fits: (now, amount) => log.sum(now) + atLeastOne(amount) <= limit,
    fitsAt: (now, amount) => log.atMostFrom(now, Math.max(0, limit - atLeastOne(amount))),
    count: (now, amount) => {
      log.sum(now);
      if (amount > 0) log.add(now, amount);
      else log.removeNewest(-amount);
      return now;
    },
    onRefused: countsRefusals ? (now) => log.add(now, 1) : noop,
    level: (now) => {
      const remaining = Math.max(0, limit - log.sum(now));
      return { remaining, resetAt: log.emptyAt(now) };
    },
  };
};

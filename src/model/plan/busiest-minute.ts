import type { MinutePeak } from './forecast.ts';

const minute = 60_000;

/** The number of expired arrivals at which the arrays are shortened. */
const compactAfter = 65_536;

/**
 * Finds the maximum number of requests, and the maximum number of tokens, that are due within any window of time. A
 * window is 60 s by default. Times are in ms and must ascend.
 */
export class BusiestMinute {
  readonly #due: number[] = [];
  readonly #taken: number[] = [];
  #front = 0;
  readonly #window: number;
  #tokens = 0;
  #requests = { most: 0, tokens: 0 };

  constructor(window = minute) {
    this.#window = window;
  }

  add(due: number, tokens: number): void {
    this.#due.push(due);
    this.#taken.push(tokens);
    this.#tokens += tokens;
    for (; due - this.#due[this.#front]! >= this.#window; this.#front += 1) {
      this.#tokens -= this.#taken[this.#front]!;
    }
    this.#requests = {
      most: Math.max(this.#requests.most, this.#due.length - this.#front),
      tokens: Math.max(this.#requests.tokens, this.#tokens),
    };
    if (this.#front < compactAfter) return;
    this.#due.splice(0, this.#front);
    this.#taken.splice(0, this.#front);
    this.#front = 0;
  }

  peak(): MinutePeak {
    return { requests: this.#requests.most, tokens: Math.round(this.#requests.tokens) };
  }
}

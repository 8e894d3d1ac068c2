/**
 * How many requests of a key go at once while nobody knows what its gateway admits at once. As TCP's slow start does,
 * it begins with few and lets more go with what is admitted, but more slowly: whatever is under way at the first refusal
 * is refused, too. When the window turns it begins again, since counters that weigh the last window refuse what they
 * admitted before. Beyond that, requests are evenly spread, of which limiters of the rate refuse hardly any. So one that
 * admits less at once than its limit refuses few, and one that admits all is hardly slower.
 */

/** The share of the limit that goes at once to begin with. */
const firstShare = 1 / 12;

/** How many more go at once with each that is admitted. */
const growth = 1 / 4;

/** After so many windows without a refusal the whole limit may go at once. */
const windowsToTrust = 3;

export class BurstProbe {
  readonly #first: number;
  readonly #spacing: number;
  readonly #window: number;
  /** How many may be unanswered. */
  #width: number;
  #unanswered = 0;
  #lastRelease = Number.NEGATIVE_INFINITY;
  #windowBegan = Number.NEGATIVE_INFINITY;
  #windows = 0;

  /** For `limit` requests in a window; `spacing` and `window` in ms. */
  constructor(limit: number, spacing: number, window: number) {
    this.#first = Math.max(1, Math.floor(limit * firstShare));
    this.#width = this.#first;
    this.#spacing = spacing;
    this.#window = window;
  }

  /** From when on another request may go: minus infinity for at once. */
  availableAt(): number {
    return this.#unanswered < Math.floor(this.#width)
      ? Number.NEGATIVE_INFINITY
      : this.#lastRelease + this.#spacing;
  }

  /** `opened`: since when the window had room for it. */
  onReleased(at: number, opened: number): void {
    const isFirst = this.#windows === 0;
    if (isFirst || (opened > this.#lastRelease && at - this.#windowBegan >= this.#window)) {
      this.#windowBegan = at;
      this.#windows += 1;
      this.#width = this.#windows > windowsToTrust ? Number.POSITIVE_INFINITY : this.#first;
    }
    this.#lastRelease = at;
    this.#unanswered += 1;
  }

  onAnswered(): void {
    this.#unanswered -= 1;
  }

  onAdmitted(): void {
    this.#width += growth;
  }
}

import type { Instant } from '../../model/quantity.ts';
import type { CarriedContent } from './chat-chunk.ts';

/** A stream with fewer token events never counts as buffered, because its answer may simply be short. */
const minBurstEvents = 10;
/** A stream counts as buffered only if at least this share of its token events came in one burst. */
const burstShare = 0.9;
/** From the first to the last token of a burst, at most this many ms pass. */
const burstSpan = 5;
/** A stream counts as buffered only if its TTFT is at least this share of the time to its last token. */
const minTtftShare = 0.9;

const emptyInstants = new Float64Array(0);
const initialCapacity = 16;

/** A growing list of instants that stores no objects. Code outside this class must only call `add`. */
export class InstantList {
  count = 0;
  #values = emptyInstants;

  add(at: Instant): void {
    if (this.count === this.#values.length) {
      const grown = new Float64Array(Math.max(initialCapacity, 2 * this.count));
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.count] = at;
    this.count += 1;
  }

  toArray(): Float64Array {
    return this.#values.slice(0, this.count);
  }
}

export class TokenTimes extends InstantList {
  firstToken: Instant | null = null;
  firstVisible: Instant | null = null;
  lastToken: Instant | null = null;
  /** The number of token events that came in the same read as an earlier event. */
  coalesced = 0;
  #readHasToken = false;

  onRead(): void {
    this.#readHasToken = false;
  }

  onToken(at: Instant, carries: Exclude<CarriedContent, 'nothing'>): void {
    this.firstToken ??= at;
    if (carries === 'visible') this.firstVisible ??= at;
    this.lastToken = at;
    if (this.#readHasToken) this.coalesced += 1;
    this.#readHasToken = true;
    this.add(at);
  }
}

/**
 * Returns whether a stream was buffered. At least 90 % of the token events of a buffered stream came within 5 ms, and
 * the time from `begun` to its first token was at least 90 % of the time to its last token. A stream with fewer than
 * ten token events never counts as buffered. Example: 20 tokens were buffered if the first token came after 2,000 ms
 * and the last token after 2,004 ms.
 */
export const isBuffered = (instants: Float64Array, begun: Instant): boolean => {
  const first = instants[0];
  const last = instants.at(-1);
  if (first === undefined || last === undefined || instants.length < minBurstEvents) return false;
  if (first - begun < minTtftShare * (last - begun)) return false;
  let most = 0;
  let from = 0;
  for (let to = 0; to < instants.length; to += 1) {
    while (instants[to]! - instants[from]! > burstSpan) from += 1;
    most = Math.max(most, to - from + 1);
  }
  return most >= burstShare * instants.length;
};

/**
 * A client that keeps within limits that it cannot see: arithmetic only, time is an argument.
 *
 * Nobody outside knows when a gateway counts a request, nor in which window. So a request takes a
 * place from its release until one window after it was sent, and a margin more, since the gateway
 * counts it a little later than that; its tokens until one window after its answer ended: by then
 * every gateway has charged them, at admission or afterwards. What is taken never exceeds the limit.
 * A client that keeps to that at every moment is let through by fixed windows wherever they begin, by
 * sliding logs, and by buckets that hold the limit, since in no window it uses more than they refill.
 * It costs the length of an answer in each window of tokens, which who knows that the gateway charges
 * at admission can save, and the margin in each window of requests; nothing where there is room.
 */

/** What one key may use within any `window` of time; `null` for any number. */
export interface PaceRule {
  readonly requests: number | null;
  readonly tokens: number | null;
  /** In ms. */
  readonly window: number;
  /** How much later than it was sent a request may be counted, in ms. */
  readonly margin: number;
  /** Whether tokens are charged when a request is admitted, or at any moment until its answer has ended. */
  readonly charged: 'sent' | 'ended';
}

/** A request's part of a key's allowance, from its release on. */
export interface Booking {
  /** Its first byte is about to be written. */
  onSent(at: number): void;
  /** It is over, and has used so many tokens. One that was never sent has used nothing. */
  onFinished(at: number, tokens: number): void;
}

/** What was used and when it is free again, in that order. */
class UsageWindow {
  #until: number[] = [];
  #amounts: number[] = [];
  #front = 0;
  sum = 0;

  add(until: number, amount: number): void {
    let place = this.#until.length;
    // Answers end in another order than requests were sent; nearly all come at the end or close to it.
    while (place > this.#front && this.#until[place - 1]! > until) place -= 1;
    this.#until.splice(place, 0, until);
    this.#amounts.splice(place, 0, amount);
    this.sum += amount;
  }

  expire(now: number): void {
    while (this.#front < this.#until.length && this.#until[this.#front]! <= now) {
      this.sum -= this.#amounts[this.#front]!;
      this.#front += 1;
    }
    if (this.#front > 1024 && this.#front * 2 > this.#until.length) {
      this.#until = this.#until.slice(this.#front);
      this.#amounts = this.#amounts.slice(this.#front);
      this.#front = 0;
    }
  }

  /** When so much of it will be free; minus infinity for nothing, infinity for more than there is. */
  freeAt(amount: number): number {
    if (amount <= 0) return Number.NEGATIVE_INFINITY;
    let freed = 0;
    for (let i = this.#front; i < this.#until.length; i += 1) {
      freed += this.#amounts[i]!;
      if (freed >= amount) return this.#until[i]!;
    }
    return Number.POSITIVE_INFINITY;
  }
}

/** One limit of one key: what is used for good, and what is held by requests under way. */
class LimitUsage {
  readonly #limit: number;
  readonly #used = new UsageWindow();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Since when, or from when on, `amount` fits: minus infinity if it always did, infinity while that hangs on requests under way. */
  availableAt(amount: number): number {
    return this.#used.freeAt(this.#held + this.#used.sum + amount - this.#limit);
  }

  /** Nothing is ever held before `now` again. */
  hold(now: number, amount: number): void {
    this.#used.expire(now);
    this.#held += amount;
  }

  /** Turns what was held into what was used, until some moment. */
  convert(held: number, used: number, until: number): void {
    this.#held -= held;
    if (used > 0) this.#used.add(until, used);
  }
}

/** When a request may go by one key at the earliest. */
export interface EarliestRelease {
  readonly key: number;
  /** In the past if it may already, infinity while nobody can tell. */
  readonly at: number;
}

/** The allowances of a pool of keys. */
export class Pacer {
  readonly #rule: PaceRule;
  readonly #keys: readonly { readonly requests: LimitUsage; readonly tokens: LimitUsage }[];
  /** Until when the gateway takes nothing by a key, as it said. */
  readonly #blockedUntil: number[];

  constructor(rule: PaceRule, keys: number) {
    this.#rule = rule;
    const usageOf = (limit: number | null): LimitUsage =>
      new LimitUsage(limit ?? Number.POSITIVE_INFINITY);
    this.#keys = Array.from({ length: keys }, () => ({
      requests: usageOf(rule.requests),
      tokens: usageOf(rule.tokens),
    }));
    this.#blockedUntil = Array<number>(keys).fill(Number.NEGATIVE_INFINITY);
  }

  /** What has to be reserved for a request that may need so many tokens: one that needs more than there are goes when all are free. */
  tokensToReserve(tokens: number): number {
    return Math.min(Math.max(1, tokens), this.#rule.tokens ?? Number.POSITIVE_INFINITY);
  }

  /** The key that opens first for a request with this reservation; `preferred` where several are open. */
  earliestRelease(now: number, reserved: number, preferred: number): EarliestRelease {
    const releases = this.#keys.map(({ requests, tokens }, key) =>
      Math.max(requests.availableAt(1), tokens.availableAt(reserved), this.#blockedUntil[key]!),
    );
    const best = releases.reduce((first, at, key) => (at < releases[first]! ? key : first), 0);
    const key = releases[preferred]! <= Math.max(now, releases[best]!) ? preferred : best;
    return { key, at: releases[key]! };
  }

  /** Lets nothing go by a key until a moment: somebody else spends it too, and has exhausted it. */
  blockKey(key: number, until: number): void {
    this.#blockedUntil[key] = Math.max(this.#blockedUntil[key]!, until);
  }

  /** Takes a place of a key's allowance; what is booked later is never released earlier. */
  book(released: number, key: number, reserved: number): Booking {
    const { requests, tokens } = this.#keys[key]!;
    const { window, margin, charged } = this.#rule;
    let unsent = 1;
    /** By then it was counted, if it was sent. */
    let counted = Number.NEGATIVE_INFINITY;
    requests.hold(released, 1);
    tokens.hold(released, reserved);
    return {
      onSent: (at) => {
        // A second time where a kept connection turned out closed: the server may have counted both.
        counted = at + margin;
        requests.convert(unsent, 1, counted + window);
        unsent = 0;
      },
      onFinished: (at, used) => {
        requests.convert(unsent, 0, at);
        const lastCharged = charged === 'sent' ? counted : Math.max(counted, at);
        tokens.convert(reserved, used, lastCharged + window);
      },
    };
  }
}

/**
 * Keeps a client within limits whose windows it cannot see: arithmetic only, time is an argument.
 *
 * A client does not know when a gateway counts a request, nor in which window. So a request occupies a
 * place from its release until one window and a margin after it was sent, since the gateway counts it
 * a little later than that. Its tokens are occupied until one window after its answer ended: by then
 * every gateway has charged them. What is occupied never exceeds the limit, so fixed windows at any
 * offset, sliding logs and buckets of the limit's size all admit the client. The cost is the margin in
 * each window of requests, and the length of an answer in each window of tokens unless the gateway is
 * known to charge at admission.
 */

/** What one key may use within any `window` of time; `null` for no limit. */
export interface PaceRule {
  readonly requests: number | null;
  readonly tokens: number | null;
  /** In ms. */
  readonly window: number;
  /** How long after it was sent a request may be counted, in ms. */
  readonly margin: number;
  /** Whether tokens are charged when a request is admitted, or at any moment until its answer has ended. */
  readonly charged: 'sent' | 'ended';
}

/** A request's part of a key's limits, from its release on. */
interface Booking {
  /** Called before the first byte is written. */
  onSent(at: number): void;
  /** Called at the end with the tokens that were used; none if the request was never sent. */
  onFinished(at: number, tokens: number): void;
}

/** Amounts in use, in order of when they become free. */
class UsageWindow {
  #until: number[] = [];
  #amounts: number[] = [];
  #front = 0;
  sum = 0;

  add(until: number, amount: number): void {
    let place = this.#until.length;
    // Answers end in another order than requests were sent, but nearly all belong at or near the end.
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

  /** When `amount` becomes free: minus infinity for 0 or less, infinity for more than is in use. */
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

/** One limit of one key: what is used, and what requests under way hold. */
class LimitUsage {
  readonly #limit: number;
  readonly #used = new UsageWindow();
  #held = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** From when on `amount` fits: minus infinity if it always did, infinity while it depends on requests under way. */
  availableAt(amount: number): number {
    return this.#used.freeAt(this.#held + this.#used.sum + amount - this.#limit);
  }

  /** Later calls never have an earlier `now`. */
  hold(now: number, amount: number): void {
    this.#used.expire(now);
    this.#held += amount;
  }

  /** Replaces a held amount by a used one that is free again at `until`. */
  convert(held: number, used: number, until: number): void {
    this.#held -= held;
    if (used > 0) this.#used.add(until, used);
  }
}

/** The limits of a pool of keys. */
export class Pacer {
  readonly #rule: PaceRule;
  readonly #keys: readonly { readonly requests: LimitUsage; readonly tokens: LimitUsage }[];
  /** Until when the gateway refuses each key, as it reported. */
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

  /** The tokens to reserve for a request: one that needs more than the limit is sent when all are free. */
  tokensToReserve(tokens: number): number {
    return Math.min(Math.max(1, tokens), this.#rule.tokens ?? Number.POSITIVE_INFINITY);
  }

  /**
   * The key that is free first for this reservation, `preferred` where several are free at `now`; and
   * since when: infinity while it depends on requests under way.
   */
  earliestRelease(now: number, reserved: number, preferred: number) {
    const releases = this.#keys.map(({ requests, tokens }, key) =>
      Math.max(requests.availableAt(1), tokens.availableAt(reserved), this.#blockedUntil[key]!),
    );
    const best = releases.reduce((first, at, key) => (at < releases[first]! ? key : first), 0);
    const key = releases[preferred]! <= Math.max(now, releases[best]!) ? preferred : best;
    return { key, at: releases[key]! };
  }

  /** Releases nothing with a key until an instant: another client has exhausted it. */
  blockKey(key: number, until: number): void {
    this.#blockedUntil[key] = Math.max(this.#blockedUntil[key]!, until);
  }

  /** Occupies a key's limits for a request. Bookings come in order of their release. */
  book(released: number, key: number, reserved: number): Booking {
    const { requests, tokens } = this.#keys[key]!;
    const { window, margin, charged } = this.#rule;
    let unsent = 1;
    /** When the gateway has counted it at the latest, if it was sent. */
    let counted = Number.NEGATIVE_INFINITY;
    requests.hold(released, 1);
    tokens.hold(released, reserved);
    return {
      onSent: (at) => {
        // Called twice if a kept connection turns out to be closed: the server may have counted both.
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

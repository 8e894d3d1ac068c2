import type { Pace, PaceAmounts } from '../model/plan/pace.ts';
import { type DeclaredPace, type KeyHeaders, ReportedRoom } from './pace-headers.ts';

/**
 * This file keeps a client within limits whose windows the client cannot see. Callers pass the time; no clock is read.
 * A client does not know when a gateway counts a request, or in which window. A request therefore counts against the
 * limit from its release until one window plus a margin after it was sent. The margin covers the time until the gateway
 * counts the request. The tokens of a request count until one window after its answer ended, because every gateway has
 * charged all tokens by the end of the answer. The counted amount never exceeds the limit, so fixed windows at any
 * offset, sliding logs and token buckets of the limit's size all admit the client.
 * This caution costs the margin in each window of requests, and the length of an answer in each window of tokens,
 * unless the gateway charges on admission. If an examination measured how long after an answer the gateway charges, the
 * tokens count until one window after that time.
 * Within the limit, at most `burst` requests are released at the same time. The next `burst` requests follow after the
 * time in which the limit allows `burst` requests. A smaller burst does not lower the sustained rate, and also
 * satisfies small buckets and weighted windows. After a refusal, the requests of the key therefore stay evenly spread
 * until the end of the run. Without a given `burst`, `BurstProbe` raises the number with each admitted request.
 */

/**
 * `BurstProbe` learns how many requests of a key may be sent at the same time if it is unknown how many the gateway
 * admits. As in TCP's slow start, the number begins small and grows with each admitted request. The growth is slower
 * than in TCP, because the first refusal comes together with refusals of all requests in flight. The number becomes
 * small again with each window, because gateways that also weigh the last window can refuse a number that was admitted
 * before. All further requests are evenly spread; rate limiters hardly ever refuse evenly spread requests. A gateway
 * that admits fewer requests at once than its limit therefore refuses few requests. A gateway that admits its whole
 * limit at once is used almost as fast as possible.
 */

/** At the start of each of the first windows, this share of the limit may be sent at the same time. */
const firstShare = 1 / 12;

/** The amount by which each admitted request raises `#width`. */
const growth = 1 / 4;

/** After this many windows without a refusal, the whole limit may be sent at the same time. */
const windowsToTrust = 3;

export class BurstProbe {
  #first: number;
  #spacing: number;
  readonly #window: number;
  /** The number of requests that may be unanswered at the same time. */
  #width: number;
  #unanswered = 0;
  #lastRelease = Number.NEGATIVE_INFINITY;
  #windowBegan = Number.NEGATIVE_INFINITY;
  #windows = 0;

  /** `limit` is the number of requests in a window; `spacing` and `window` are in ms. */
  constructor(limit: number, spacing: number, window: number) {
    this.#first = Math.max(1, Math.floor(limit * firstShare));
    this.#width = this.#first;
    this.#spacing = spacing;
    this.#window = window;
  }

  /** Returns when another request may be sent; minus infinity means at once. */
  availableAt(): number {
    return this.#unanswered < Math.floor(this.#width)
      ? Number.NEGATIVE_INFINITY
      : this.#lastRelease + this.#spacing;
  }

  /** Records the release of a request. `opened` is the first instant at which the limit allowed the request. */
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

  /** Continues with a lower limit that the gateway has declared. */
  lower(limit: number, spacing: number): void {
    this.#first = Math.max(1, Math.floor(limit * firstShare));
    this.#width = Math.min(this.#width, this.#first);
    this.#spacing = spacing;
  }

  onAnswered(): void {
    this.#unanswered -= 1;
  }

  onAdmitted(): void {
    this.#width += growth;
  }
}

/** The limits of one key within any window of time; a missing limit is `null`. */
export interface PaceRule extends Readonly<PaceAmounts> {
  /** The length of the limiter's window, in ms. */
  readonly window: number;
  /** The gateway counts a request at most this many ms after the request was sent. */
  readonly margin: number;
  readonly charged: Pace['charged'];
  readonly settle?: number | undefined;
  /** If the gateway declares lower limits of these units, the pacer lowers its own limits. */
  readonly follows?: readonly ('requests' | 'tokens')[] | undefined;
}

/** The part of a key's limits that a request uses, from the release of the request on. */
interface Booking {
  /** Called before the first byte is written. */
  onSent(at: number): void;
  /** Called when the headers of an answer have come. */
  onHeaders(at: number, said: KeyHeaders): void;
  /** Called at the end of the attempt. `tokens` includes the tokens of `prompt`; 0 if the request was never sent. */
  onFinished(at: number, tokens: number, prompt?: number): void;
}

/** The used amounts of a limit, in the order in which they become free again. */
class UsageWindow {
  #until: number[] = [];
  #amounts: number[] = [];
  #front = 0;
  sum = 0;

  add(until: number, amount: number): void {
    let place = this.#until.length;
    // Answers do not end in the order of their requests, but nearly all new amounts belong near the end of the list,
    // where the search begins.
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

  /** Returns when `amount` becomes free: minus infinity for 0 or less, infinity if less than `amount` is in use. */
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

/** How much of one limit of a key is used, by ended requests and by requests in flight. */
class LimitUsage {
  limit: number;
  readonly #used = new UsageWindow();
  #held = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * Returns when `amount` fits under the limit: minus infinity for now, infinity if requests in flight must end first.
   */
  availableAt(amount: number): number {
    return this.#used.freeAt(this.#held + this.#used.sum + amount - this.limit);
  }

  /** Reserves an amount from `now` on. Later calls must not have an earlier `now`. */
  hold(now: number, amount: number): void {
    this.#used.expire(now);
    this.#held += amount;
  }

  /** Replaces a reserved amount by the used amount, which becomes free at `until`. */
  convert(held: number, used: number, until: number): void {
    this.#held -= held;
    if (used > 0) this.#used.add(until, used);
  }
}

/**
 * A refusal is expensive if its wait is at least this share of the window plus the margin. `spacing` then grows at
 * once, to prevent another refusal.
 */
const dearShare = 0.9;
/** If `spacing` has grown by one step, it shrinks back over at least this many windows. */
const minRegain = 10;
/** `spacing` is at most this many times `leastSpacing`. */
const widestShare = 1.1;

class KeyUsage {
  readonly requests: LimitUsage;
  readonly tokens: LimitUsage;
  /** How much of the key's limits remains according to the headers of answers. */
  readonly room = new ReportedRoom();
  /** At most `most` requests may be sent at the same time. `null` if only the limit itself bounds their number. */
  bursts: { readonly most: number; readonly usage: LimitUsage } | null = null;
  /**
   * Learns how many requests the gateway admits at the same time, until the first refusal; `null` if the number is
   * given or already learned.
   */
  probe: BurstProbe | null = null;
  /** The moment at which the gateway charges tokens, as far as known. A refusal can correct this moment. */
  charged: PaceRule['charged'];
  /** The key sends nothing before this instant: the end of the reported or assumed wait after a refusal. */
  blockedUntil = Number.NEGATIVE_INFINITY;
  /** When the last refusal came. Refusals of requests that were released earlier do not change this instant. */
  learnedAt = Number.NEGATIVE_INFINITY;
  /** If the next refusal names no wait, the key waits this many ms. */
  assumedWait: number;
  /** The shortest time between evenly spread requests, in ms: the window with its margin, divided by the limit. */
  leastSpacing: number;
  /** The time between evenly spread requests, in ms. This time grows if the gateway refuses evenly spread requests. */
  spacing: number;
  /** The ms by which each admitted request shortens `spacing`; smaller after an expensive refusal. */
  regained = 0;

  constructor(rule: PaceRule, spacing: number) {
    this.requests = new LimitUsage(rule.requests ?? Number.POSITIVE_INFINITY);
    this.tokens = new LimitUsage(rule.tokens ?? Number.POSITIVE_INFINITY);
    if (rule.requests !== null && rule.burst === undefined)
      this.probe = new BurstProbe(rule.requests, spacing, rule.window + rule.margin);
    if (rule.burst !== undefined && rule.burst < (rule.requests ?? 0)) this.limitBursts(rule.burst);
    this.charged = rule.charged;
    this.assumedWait = spacing;
    this.leastSpacing = spacing;
    this.spacing = spacing;
  }

  /** Lowers the limits to those that the gateway declares; never raises one. */
  follow(declared: DeclaredPace, { follows = [], window, margin }: PaceRule): void {
    const { requests, tokens, atOnce } = declared;
    if (tokens !== null && follows.includes('tokens'))
      this.tokens.limit = Math.min(this.tokens.limit, tokens);
    if (requests === null || !follows.includes('requests')) return;
    if (requests < this.requests.limit) {
      this.requests.limit = requests;
      this.leastSpacing = (window + margin) / requests;
      this.spacing = Math.max(this.spacing, this.leastSpacing);
      this.probe?.lower(requests, this.leastSpacing);
    }
    const most = this.bursts?.most ?? Number.POSITIVE_INFINITY;
    if (atOnce !== null && atOnce < most) this.limitBursts(atOnce);
  }

  /** Allows at most `most` requests at the same time from now on. Earlier requests do not count. */
  limitBursts(most: number): void {
    this.bursts = { most, usage: new LimitUsage(most) };
    this.probe = null;
  }
}

/** Keeps a pool of keys within their limits. */
export class Pacer {
  readonly #rule: PaceRule;
  readonly #keys: readonly KeyUsage[];

  /** Creates a pacer. `amounts` are the limits of each key; if absent, every key has the limits of the rule. */
  constructor(rule: PaceRule, keys: number, amounts?: readonly PaceAmounts[]) {
    this.#rule = rule;
    const { window, margin } = rule;
    this.#keys = Array.from({ length: keys }, (_, key) => {
      const own = { ...rule, ...amounts?.[key] };
      // A pace without a limit of requests has no natural spacing; one second is an arbitrary choice.
      const spacing = own.requests === null ? 1000 : (window + margin) / own.requests;
      return new KeyUsage(own, spacing);
    });
  }

  /** Returns the largest token limit of all keys. */
  #mostTokens(): number {
    return this.#keys.reduce((most, { tokens }) => Math.max(most, tokens.limit), 0);
  }

  /** Returns the number of tokens to reserve for a request: at most the largest token limit of all keys. */
  tokensToReserve(tokens: number): number {
    return Math.min(Math.max(1, tokens), this.#mostTokens());
  }

  /**
   * Finds the key whose limits first allow this reservation. `preferred` is chosen if its limits allow the reservation
   * at `now`. A key whose token limit is too small is not chosen while another key has a larger limit. `at` is the
   * first instant at which the limits allow the reservation; infinity if requests in flight must end first.
   */
  earliestRelease(now: number, reserved: number, preferred: number) {
    const amount = Math.min(reserved, this.#mostTokens());
    const releases = this.#keys.map(({ requests, tokens, bursts, probe, room, blockedUntil }) =>
      Math.max(
        requests.availableAt(1),
        tokens.availableAt(amount),
        room.availableAt(Number.isFinite(tokens.limit) ? reserved : 1),
        bursts?.usage.availableAt(1) ?? Number.NEGATIVE_INFINITY,
        probe?.availableAt() ?? Number.NEGATIVE_INFINITY,
        blockedUntil,
      ),
    );
    const best = releases.reduce((first, at, key) => (at < releases[first]! ? key : first), 0);
    const key = releases[preferred]! <= Math.max(now, releases[best]!) ? preferred : best;
    return { key, at: releases[key]! };
  }

  /**
   * Spreads the requests of a key evenly after a refusal. The spacing grows if the requests were already evenly spread,
   * or if `wait` is nearly as long as a window.
   */
  #evenOut(usage: KeyUsage, wait: number): void {
    const { leastSpacing } = usage;
    const requests = usage.requests.limit;
    if (!Number.isFinite(requests)) return;
    const isEven = usage.bursts?.most === 1;
    const cost = wait / leastSpacing;
    // A limiter that weighs the last window rounds its count. So it can refuse one request per window even if requests
    // are evenly spread. With each step, half a request fewer is sent per window.
    const step = leastSpacing * (0.5 / requests);
    if (isEven || cost >= dearShare * requests)
      usage.spacing = Math.min(leastSpacing * widestShare, usage.spacing + step);
    // The new limit of one request at a time need not count earlier requests, because the key waits after the refusal.
    if (!isEven) usage.limitBursts(1);
    usage.regained = step / (requests * Math.max(minRegain, 2 * cost));
  }

  /**
   * Blocks a key for `wait` ms from `at`. The gateway refused a request that was released at `released`. If the refusal
   * names no wait, a wait is assumed. The assumed wait doubles with each refusal in a row, up to a window and its
   * margin.
   */
  onRefused(key: number, released: number, at: number, wait: number | null): void {
    const usage = this.#keys[key]!;
    // A request that was in flight during the last refusal teaches nothing new: it was sent before the pacer learned
    // from that refusal.
    const isNews = released > usage.learnedAt;
    if (isNews) {
      usage.learnedAt = at;
      this.#evenOut(usage, wait ?? usage.assumedWait);
    } else if (wait === null) return;
    usage.blockedUntil = Math.max(usage.blockedUntil, at + (wait ?? usage.assumedWait));
    const { window, margin } = this.#rule;
    if (wait === null) usage.assumedWait = Math.min(window + margin, usage.assumedWait * 2);
  }

  /** Stops trusting what `weir limits` found about charging, after a refusal for tokens or for an unnamed limit. */
  distrustCharging(key: number): void {
    if (this.#rule.settle !== undefined) this.#keys[key]!.charged = 'ended';
  }

  /** If the request was released after the last refusal, resets the assumed wait and shortens the spacing. */
  onAdmitted(key: number, released: number): void {
    const usage = this.#keys[key]!;
    usage.probe?.onAdmitted();
    if (released <= usage.learnedAt) return;
    usage.assumedWait = usage.leastSpacing;
    usage.spacing = Math.max(usage.leastSpacing, usage.spacing - usage.regained);
  }

  /** Reserves a request and its tokens in the limits of a key. Later calls must not have an earlier `released`. */
  book(released: number, key: number, reserved: number): Booking {
    const usage = this.#keys[key]!;
    const { requests, tokens, bursts, probe, room } = usage;
    const { window, margin, settle } = this.#rule;
    probe?.onReleased(released, requests.availableAt(1));
    let unsent = 1;
    /** The latest moment at which the gateway counts the request; minus infinity until the request is sent. */
    let counted = Number.NEGATIVE_INFINITY;
    requests.hold(released, 1);
    bursts?.usage.hold(released, 1);
    tokens.hold(released, reserved);
    const booked = room.book(reserved);
    return {
      onSent: (at) => {
        // This function is called twice if the server had closed a reused connection. Both calls count, because the
        // server may have counted both requests.
        counted = at + margin;
        requests.convert(unsent, 1, counted + window);
        // After this time, the limit allows `bursts.most` requests again.
        bursts?.usage.convert(unsent, 1, at + bursts.most * usage.spacing);
        unsent = 0;
      },
      onHeaders: (at, { declared, reported }) => {
        usage.follow(declared, this.#rule);
        room.learn(reported, booked, { at, margin });
      },
      onFinished: (at, used, prompt = 0) => {
        probe?.onAnswered();
        requests.convert(unsent, 0, at);
        bursts?.usage.convert(unsent, 0, at);
        const early = { sent: used, 'prompt-sent': prompt, ended: 0 }[usage.charged];
        const lastCharged = settle === undefined ? Math.max(counted, at) : at + settle;
        tokens.convert(reserved, early, counted + window);
        tokens.convert(0, used - early, lastCharged + window);
      },
    };
  }
}

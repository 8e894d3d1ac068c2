import type { Outcome } from '../model/observation/outcome.ts';
import type { Pace } from '../model/plan/pace.ts';
import { type Instant, instant } from '../model/quantity.ts';
import { type TokenDemand, tokenDemand } from '../traffic/request/token-demand.ts';
import type { RetryHint } from '../traffic/traffic-handler.ts';
import { keySharesOf } from './key-shares.ts';
import { drawRequestContent } from './request-content.ts';
import { Pacer } from './pacer.ts';
import { TokenEstimator } from './token-estimator.ts';
import type { SliceOptions } from './slice-options.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import { type DueItem, DueQueue } from './due-queue.ts';

/** A request that may be sent now, with its key and its reserved tokens. */
export interface PaceSlot {
  readonly lifecycle: RequestLifecycle;
  readonly released: Instant;
  /** The index of its key among the run's keys. */
  readonly keyIndex: number;
  readonly reserved: number;
  onSent(at: Instant): void;
  /**
   * Takes the server's wait, where it names one, and returns the wait that the request must keep. The
   * wait of a 429 concerns the key: it is blocked that long, while the request may use another.
   */
  onFinished(at: Instant, outcome: Outcome, hint: RetryHint | null): RetryHint | null;
}

interface Queued extends DueItem {
  readonly lifecycle: RequestLifecycle;
  readonly demand: TokenDemand | null;
  readonly preferred: number;
}

/**
 * Requests that wait for a slot under a pace, in order of their due instants. No request overtakes
 * another, so that none waits for ever; a slot opens when the first request fits any key.
 */
export class PaceQueue {
  readonly #options: SliceOptions;
  readonly #pacer: Pacer;
  /** The keys of this slice among all. */
  readonly #keys: readonly number[];
  readonly #tokenEstimator = new TokenEstimator();
  readonly #queue = new DueQueue<Queued>();
  /** When the last request was released: the next one was not the first before that. */
  #lastRelease: number = Number.NEGATIVE_INFINITY;
  /** When the first request is expected to be released; `null` before that is computed. */
  #expectedRelease: number | null = null;
  /** When a request under way last freed capacity. */
  #capacityFreedAt: number = Number.NEGATIVE_INFINITY;

  constructor(options: SliceOptions, pace: Pace) {
    this.#options = options;
    const { keys, rule } = keySharesOf(options.slice, options.credentials.length, pace);
    this.#keys = keys;
    this.#pacer = new Pacer({ ...pace, ...rule }, keys.length);
    if (options.keysWereUsed === true) this.#countStartUp(keys.length);
  }

  /** The request of each key that checked it. */
  #countStartUp(keys: number): void {
    for (let key = 0; key < keys; key += 1) {
      const booking = this.#pacer.book(0, key, 0);
      booking.onSent(0);
      booking.onFinished(0, 0);
    }
  }

  get size(): number {
    return this.#queue.size;
  }

  add(lifecycle: RequestLifecycle): void {
    const { traffic, credential, ...drawing } = drawRequestContent(
      this.#options,
      lifecycle.arrival,
    );
    const demand = tokenDemand(traffic, drawing);
    const drawn = this.#options.credentials.indexOf(credential);
    const own = this.#keys.indexOf(drawn);
    // Another slice's key: one of its own instead.
    const preferred = own >= 0 ? own : drawn % this.#keys.length;
    this.#queue.add({ due: lifecycle.arrival.due, lifecycle, demand, preferred });
    if (this.#queue.first()?.lifecycle === lifecycle) this.#expectedRelease = null;
  }

  /** Removes the first request if it fits a key at `now`. */
  take(now: Instant): PaceSlot | null {
    const first = this.#queue.first();
    if (first === null) return null;
    const reserved = this.#pacer.tokensToReserve(this.#tokenEstimator.estimate(first.demand));
    const { key, at } = this.#pacer.earliestRelease(now, reserved, first.preferred);
    if (at > now) {
      this.#expectedRelease = at;
      return null;
    }
    this.#queue.take(first.due);
    // Capacity freed earlier than expected has been there since it was freed, and not before.
    const roomSince = Math.min(this.#expectedRelease ?? at, Math.max(at, this.#capacityFreedAt));
    const released = Math.max(first.lifecycle.due, this.#lastRelease, roomSince);
    this.#lastRelease = released;
    this.#expectedRelease = null;
    return this.#openSlot(first, { released: instant(released), keyIndex: key, reserved });
  }

  /** Removes the requests that were due more than `timeout` ms ago; none where it is `null`. */
  takeOverdue(now: Instant, timeout: number | null): readonly RequestLifecycle[] {
    const overdue: RequestLifecycle[] = [];
    if (timeout === null) return overdue;
    const latest = instant(now - timeout);
    for (let next = this.#queue.take(latest); next !== null; next = this.#queue.take(latest)) {
      overdue.push(next.lifecycle);
      this.#expectedRelease = null;
    }
    return overdue;
  }

  clear(): readonly RequestLifecycle[] {
    return this.#queue.clear().map(({ lifecycle }) => lifecycle);
  }

  #openSlot(
    { lifecycle, demand }: Queued,
    slot: Pick<PaceSlot, 'released' | 'keyIndex' | 'reserved'>,
  ): PaceSlot {
    const { released, keyIndex: key, reserved } = slot;
    const booking = this.#pacer.book(released, key, reserved);
    let isSent = false;
    return {
      lifecycle,
      ...slot,
      keyIndex: this.#keys[key]!,
      onSent: (at) => {
        isSent = true;
        booking.onSent(at);
        this.#capacityFreedAt = at;
      },
      onFinished: (at, outcome, hint) => {
        booking.onFinished(at, isSent ? this.#tokenEstimator.used(demand, reserved, outcome) : 0);
        this.#capacityFreedAt = at;
        if (outcome.kind === 'completed') this.#pacer.onAdmitted(key, released);
        if (outcome.kind !== 'limited') return hint;
        this.#pacer.onRefused(key, released, at, hint?.wait ?? null);
        return null;
      },
    };
  }
}

import type { Outcome } from '../model/observation/outcome.ts';
import { sliceShareOf } from '../model/workload/arrival.ts';
import type { Pace } from '../model/plan/pace.ts';
import { type Instant, instant } from '../model/quantity.ts';
import type { RetryHint } from '../traffic/traffic-handler.ts';
import { drawRequestContent } from './request-content.ts';
import { Pacer } from './pacer.ts';
import { type EntryTokenDemand, TokenEstimator } from './token-estimator.ts';
import type { SliceOptions } from './slice-options.ts';
import type { RequestLifecycle } from './request-lifecycle.ts';
import { type DueItem, dueQueue } from './due-queue.ts';

/** A trip whose turn has come. */
export interface PaceSlot {
  readonly lifecycle: RequestLifecycle;
  readonly released: Instant;
  /** The place of its key among the run's. */
  readonly keyIndex: number;
  readonly reserved: number;
  onSent(at: Instant): void;
  /**
   * `hint` is when to come back, where the server said so. With a limit it means the key, which is
   * left alone so long while the request may go by another; returned is what the request has to heed.
   */
  onFinished(at: Instant, outcome: Outcome, hint: RetryHint | null): RetryHint | null;
}

interface Queued extends DueItem {
  readonly lifecycle: RequestLifecycle;
  readonly demand: EntryTokenDemand | null;
  readonly preferred: number;
}

/**
 * Those that wait for their turn under a pace, who was due first in front. Nobody overtakes, so that
 * none waits for ever; a turn is the moment at which the first fits by any key.
 */
export class PaceQueue {
  readonly #options: SliceOptions;
  readonly #pacer: Pacer;
  readonly #tokenEstimator = new TokenEstimator();
  readonly #queue = dueQueue<Queued>();
  /** When the last one was released: the next stood behind it until then. */
  #lastRelease: number = Number.NEGATIVE_INFINITY;
  /** When the first is to be released, as far as that can be told; `null` before anybody has looked. */
  #expectedRelease: number | null = null;
  /** When a request under way last made room. */
  #capacityFreedAt: number = Number.NEGATIVE_INFINITY;

  constructor(options: SliceOptions, pace: Pace) {
    this.#options = options;
    this.#pacer = new Pacer(
      {
        ...pace,
        requests: sliceShareOf(options.slice, pace.requests),
        tokens: sliceShareOf(options.slice, pace.tokens),
      },
      options.credentials.length,
    );
  }

  get size(): number {
    return this.#queue.size;
  }

  add(lifecycle: RequestLifecycle): void {
    const { traffic, credential, ...drawing } = drawRequestContent(
      this.#options,
      lifecycle.arrival,
    );
    const demand = this.#tokenEstimator.demand(traffic, drawing);
    const preferred = this.#options.credentials.indexOf(credential);
    this.#queue.add({ due: lifecycle.arrival.due, lifecycle, demand, preferred });
    if (this.#queue.first()?.lifecycle === lifecycle) this.#expectedRelease = null;
  }

  /** The first whose turn has come at `now`. */
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
    // Room that was made before it was expected was there from then on, and not before.
    const roomSince = Math.min(this.#expectedRelease ?? at, Math.max(at, this.#capacityFreedAt));
    const released = Math.max(first.lifecycle.due, this.#lastRelease, roomSince);
    this.#lastRelease = released;
    this.#expectedRelease = null;
    return this.#openSlot(first, { released: instant(released), keyIndex: key, reserved });
  }

  /** Removes those that were due more than `patience` ms ago; `null` for any length of time. */
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

  /** Empties the line. */
  clear(): readonly RequestLifecycle[] {
    return this.#queue.clear().map(({ lifecycle }) => lifecycle);
  }

  #openSlot(
    { lifecycle, demand }: Queued,
    slot: Pick<PaceSlot, 'released' | 'keyIndex' | 'reserved'>,
  ): PaceSlot {
    const { released, keyIndex, reserved } = slot;
    const booking = this.#pacer.book(released, keyIndex, reserved);
    let isSent = false;
    return {
      lifecycle,
      ...slot,
      onSent: (at) => {
        isSent = true;
        booking.onSent(at);
        this.#capacityFreedAt = at;
      },
      onFinished: (at, outcome, hint) => {
        booking.onFinished(at, isSent ? this.#tokenEstimator.used(demand, reserved, outcome) : 0);
        this.#capacityFreedAt = at;
        if (outcome.kind !== 'limited' || hint === null) return hint;
        this.#pacer.blockKey(keyIndex, at + hint.wait);
        return null;
      },
    };
  }
}

import { shareOf } from '../model/arrival.ts';
import type { Outcome } from '../model/observation.ts';
import type { Pace } from '../model/pace.ts';
import { type Instant, instant } from '../model/quantity.ts';
import type { Hint } from '../traffic/kind.ts';
import { contentOf } from './content.ts';
import { Pacer } from './pacer.ts';
import { type Demand, Reservations } from './reservations.ts';
import type { SliceOrder } from './slice-order.ts';
import type { Trip } from './trip.ts';
import { type Waiting, waitingLine } from './waiting-line.ts';

/** A trip whose turn has come. */
export interface Turn {
  readonly trip: Trip;
  readonly released: Instant;
  /** The place of its key among the run's. */
  readonly key: number;
  readonly reserved: number;
  sent(at: Instant): void;
  /**
   * `hint` is when to come back, where the server said so. With a limit it means the key, which is
   * left alone so long while the request may go by another; returned is what the request has to heed.
   */
  over(at: Instant, outcome: Outcome, hint: Hint | null): Hint | null;
}

interface Queued extends Waiting {
  readonly trip: Trip;
  readonly demand: Demand | null;
  readonly preferred: number;
}

/**
 * Those that wait for their turn under a pace, who was due first in front. Nobody overtakes, so that
 * none waits for ever; a turn is the moment at which the first fits by any key.
 */
export class PaceLine {
  readonly #order: SliceOrder;
  readonly #pacer: Pacer;
  readonly #reservations = new Reservations();
  readonly #line = waitingLine<Queued>();
  /** When the last one was released: the next stood behind it until then. */
  #last: number = Number.NEGATIVE_INFINITY;
  /** When the first is to be released, as far as that can be told; `null` before anybody has looked. */
  #expected: number | null = null;
  /** When a request under way last made room. */
  #freed: number = Number.NEGATIVE_INFINITY;

  constructor(order: SliceOrder, pace: Pace) {
    this.#order = order;
    this.#pacer = new Pacer(
      {
        ...pace,
        requests: shareOf(order.slice, pace.requests),
        tokens: shareOf(order.slice, pace.tokens),
      },
      order.credentials.length,
    );
  }

  get size(): number {
    return this.#line.size;
  }

  add(trip: Trip): void {
    const { traffic, credential, ...drawing } = contentOf(this.#order, trip.arrival);
    const demand = this.#reservations.demand(traffic, drawing);
    const preferred = this.#order.credentials.indexOf(credential);
    this.#line.add({ due: trip.arrival.due, trip, demand, preferred });
    if (this.#line.first()?.trip === trip) this.#expected = null;
  }

  /** The first whose turn has come at `now`. */
  take(now: Instant): Turn | null {
    const first = this.#line.first();
    if (first === null) return null;
    const reserved = this.#pacer.reservation(this.#reservations.tokens(first.demand));
    const { key, at } = this.#pacer.opening(now, reserved, first.preferred);
    if (at > now) {
      this.#expected = at;
      return null;
    }
    this.#line.take(first.due);
    // Room that was made before it was expected was there from then on, and not before.
    const room = Math.min(this.#expected ?? at, Math.max(at, this.#freed));
    const released = Math.max(first.trip.due, this.#last, room);
    this.#last = released;
    this.#expected = null;
    return this.#turn(first, { released: instant(released), key, reserved });
  }

  /** Removes those that were due more than `patience` ms ago; `null` for any length of time. */
  takeOverdue(now: Instant, patience: number | null): readonly Trip[] {
    const overdue: Trip[] = [];
    if (patience === null) return overdue;
    const latest = instant(now - patience);
    for (let next = this.#line.take(latest); next !== null; next = this.#line.take(latest)) {
      overdue.push(next.trip);
      this.#expected = null;
    }
    return overdue;
  }

  /** Empties the line. */
  clear(): readonly Trip[] {
    return this.#line.clear().map(({ trip }) => trip);
  }

  #turn({ trip, demand }: Queued, place: Pick<Turn, 'released' | 'key' | 'reserved'>): Turn {
    const { released, key, reserved } = place;
    const booking = this.#pacer.book(released, key, reserved);
    let isSent = false;
    return {
      trip,
      ...place,
      sent: (at) => {
        isSent = true;
        booking.sent(at);
        this.#freed = at;
      },
      over: (at, outcome, hint) => {
        booking.over(at, isSent ? this.#reservations.used(demand, reserved, outcome) : 0);
        this.#freed = at;
        if (outcome.kind !== 'limited' || hint === null) return hint;
        this.#pacer.close(key, at + hint.wait);
        return null;
      },
    };
  }
}

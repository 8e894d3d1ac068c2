import type { Arrival } from '../model/arrival.ts';
import { drawFrom } from '../model/draw.ts';
import { type Instant, instant, type Milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { freshMemory } from '../traffic/kind.ts';
import { contentOf } from './content.ts';
import type { Flight, Landing, Tower } from './flight.ts';
import { makeReady } from './launch.ts';
import { loopsFor } from './loops-for.ts';
import type { Begin, Loop } from './loop.ts';
import { afterAttempt, type Next } from './retry.ts';
import {
  capOf,
  type Motion,
  type Ports,
  type RunningSlice,
  type SliceEnd,
  type SliceOrder,
} from './slice-order.ts';
import { droppedEnd, type End, observationOf, type Trip, unfinishedEnd } from './trip.ts';
import { waitingLine } from './waiting-line.ts';

const pollEvery = 1;
/** Deadlines are kept to within this many milliseconds. */
const deadlinesEvery = 20;

class SliceRunner implements RunningSlice, Tower {
  readonly done: Promise<SliceEnd>;
  readonly #order: SliceOrder;
  readonly #ports: Ports;
  readonly #cap: number;
  readonly #flights = new Map<Flight, Trip>();
  /** Those whose next attempt is not yet due. */
  readonly #retries = waitingLine<Trip>();
  readonly #memory = freshMemory();
  readonly #loops: readonly Loop[];
  readonly #finish: (end: SliceEnd) => void;
  readonly #stopTicking: readonly (() => void)[];
  #due = 0;
  #polling = false;
  #stopped = false;
  /** From here on nothing is tried again. */
  #closing = false;
  #loadEnded: Instant | null = null;
  /** When what is still in flight is aborted; known once no arrival is left. */
  #graceEnds: number | null = null;

  constructor(order: SliceOrder, ports: Ports) {
    this.#order = order;
    this.#ports = ports;
    this.#cap = capOf(order);
    this.#loops = loopsFor(order.plan, order.slice, {
      scheduled: (arrival) => this.#beginIfRoom(arrival),
      asked: (arrival, returned) => this.#begin(arrival, returned),
    });
    const { promise, resolve } = Promise.withResolvers<SliceEnd>();
    this.done = promise;
    this.#finish = resolve;
    this.#stopTicking = [
      ports.clock.every(pollEvery, () => this.pulse()),
      ports.clock.every(deadlinesEvery, () => this.#checkDeadlines()),
    ];
  }

  motion(): Motion {
    return { due: this.#due, inFlight: this.#flights.size };
  }

  stop(grace: Milliseconds): void {
    const now = this.#ports.clock.now();
    this.pulse();
    if (this.#loops.some((loop) => !loop.exhausted(now))) this.#stopped = true;
    for (const loop of this.#loops) loop.stop();
    this.#noteLoadEnd(now);
    this.#graceEnds = Math.min(this.#graceEnds ?? Number.POSITIVE_INFINITY, now + grace);
    this.#close();
    this.#checkDeadlines();
  }

  pulse(): void {
    // An exchange that fails at once lands within the poll that began it.
    if (this.#polling) return;
    this.#polling = true;
    try {
      const now = this.#ports.clock.now();
      const next = (): Trip | null => this.#retries.take(now);
      for (let trip = next(); trip !== null; trip = next()) this.#launch(trip);
      for (const loop of this.#loops) loop.poll(now);
    } finally {
      this.#polling = false;
    }
  }

  landed(flight: Flight, landing: Landing): void {
    const trip = this.#flights.get(flight)!;
    this.#flights.delete(flight);
    const { facts, outcome, free } = landing;
    const { earlier } = trip;
    const next = this.#next(trip, landing);
    if (next.again) {
      const { wait, waitBy } = next;
      const due = instant(facts.ended + wait);
      const attempt = { ...facts, outcome: next.outcome, wait, waitBy };
      this.#retries.add({ ...trip, due, earlier: [...earlier, attempt] });
    } else this.#observe(trip, { facts, earlier, gaveUp: next.gaveUp, outcome }, free);
    this.pulse();
  }

  readonly #beginIfRoom: Begin = (arrival) => {
    if (this.#flights.size + this.#retries.size < this.#cap) this.#begin(arrival);
    else this.#drop(arrival);
  };

  readonly #begin: Begin = (arrival, returned) => {
    this.#due += 1;
    this.#launch({ arrival, due: arrival.due, earlier: [], returned });
  };

  #drop(arrival: Arrival): void {
    const now = this.#ports.clock.now();
    this.#due += 1;
    const trip = { arrival, due: arrival.due, earlier: [], returned: undefined };
    const { credential } = contentOf(this.#order, arrival);
    this.#observe(trip, droppedEnd(trip, now, credential.name, 'saturated'), now);
  }

  #launch(trip: Trip): void {
    const { transport, clock } = this.#ports;
    const content = contentOf(this.#order, trip.arrival);
    const { flight, go } = makeReady(
      { order: this.#order, transport, memory: this.#memory, tower: this },
      content,
      {
        due: trip.arrival.due,
        key: content.credential.name,
        released: trip.due,
        begun: clock.now(),
      },
    );
    this.#flights.set(flight, trip);
    go();
  }

  /** What follows an attempt that has landed. */
  #next({ arrival, earlier }: Trip, { facts, outcome, hint }: Landing): Next {
    const { retry, deadlines, seed } = this.#order.plan;
    const made = earlier.length + 1;
    const next = afterAttempt(
      retry,
      { outcome, isHeaded: facts.head !== null, hint, ended: facts.ended, made },
      arrival.due + (deadlines.total ?? Number.POSITIVE_INFINITY),
      drawFrom(seed, arrival.stage, arrival.index, made),
    );
    return next.again && this.#closing ? { again: false, gaveUp: 'run-ended' } : next;
  }

  #observe(trip: Trip, end: End, free: Instant): void {
    this.#ports.observe(observationOf(trip, contentOf(this.#order, trip.arrival), end));
    trip.returned?.(free);
  }

  /** Ends whatever waits: nothing more is sent. */
  #close(): void {
    this.#closing = true;
    const now = this.#ports.clock.now();
    for (const trip of this.#retries.clear()) this.#observe(trip, unfinishedEnd(trip), now);
  }

  #checkDeadlines(): void {
    const now = this.#ports.clock.now();
    const { plan } = this.#order;
    for (const flight of this.#flights.keys()) flight.checkDeadlines(now, plan.deadlines);
    const exhausted = this.#loops.every((loop) => loop.exhausted(now));
    if (exhausted) {
      this.#noteLoadEnd(now);
      this.#graceEnds ??= now + plan.grace;
    }
    if (this.#graceEnds !== null && now >= this.#graceEnds) {
      this.#close();
      for (const flight of this.#flights.keys()) {
        flight.abort('aborted', 'unfinished when the run’s grace period ended');
      }
    }
    if (exhausted && this.#flights.size + this.#retries.size === 0) this.#end();
  }

  /** The load's end by the plan is exact; only an early one has to be seen. */
  #noteLoadEnd(now: Instant): void {
    this.#loadEnded ??= instant(Math.min(now, scheduledEnd(this.#order.plan)));
  }

  #end(): void {
    for (const stopTicking of this.#stopTicking) stopTicking();
    this.#finish({
      loadEnded: this.#loadEnded ?? this.#ports.clock.now(),
      stopped: this.#stopped,
      notes: [...this.#memory.notes],
    });
  }
}

/** Sets one slice of a plan in motion. It begins at once: the clock's zero is the run's beginning. */
export const runSlice = (order: SliceOrder, ports: Ports): RunningSlice =>
  new SliceRunner(order, ports);

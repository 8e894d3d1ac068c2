import type { Arrival } from '../model/arrival.ts';
import { type Instant, instant, type Milliseconds, milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { freshMemory } from '../traffic/kind.ts';
import { type Content, contentOf } from './content.ts';
import type { Flight, Landing, Tower } from './flight.ts';
import { makeReady } from './launch.ts';
import { loopsFor } from './loops-for.ts';
import type { Begin, Loop } from './loop.ts';
import { Purse, type Stake } from './purse.ts';
import {
  capOf,
  type Motion,
  type Ports,
  type RunningSlice,
  type SliceEnd,
  type SliceOrder,
} from './slice-order.ts';
import { PaceLine, type Turn } from './pace-line.ts';
import { droppedEnd, type End, observationOf, type Trip, waitingEnd } from './trip.ts';
import { nextAttempt } from './next-attempt.ts';
import { waitingLine } from './waiting-line.ts';

const pollEvery = 1;
/** Deadlines are kept to within this many milliseconds. */
const deadlinesEvery = 20;

/** A trip in flight, with its turn where there is a pace and its stake where there is a budget. */
interface Underway {
  readonly trip: Trip;
  readonly content: Content;
  readonly turn: Turn | null;
  readonly stake: Stake | null;
}

class SliceRunner implements RunningSlice, Tower {
  readonly done: Promise<SliceEnd>;
  readonly #order: SliceOrder;
  readonly #ports: Ports;
  readonly #cap: number;
  readonly #flights = new Map<Flight, Underway>();
  /** Those whose next attempt is not yet due. */
  readonly #retries = waitingLine<Trip>();
  /** Those whose turn under the pace has not come. */
  readonly #line: PaceLine | null;
  readonly #purse: Purse | null;
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
    const { pace, budget } = order.plan;
    this.#line = pace === null ? null : new PaceLine(order, pace);
    this.#purse = budget === null ? null : new Purse(order, budget);
    this.#loops = loopsFor(order, {
      scheduled: (arrival) => this.#beginIfRoom(arrival),
      asked: (arrival, returned) => this.#begin(arrival, returned),
    });
    ({ promise: this.done, resolve: this.#finish } = Promise.withResolvers<SliceEnd>());
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
      for (let trip = next(); trip !== null; trip = next()) this.#go(trip);
      for (const loop of this.#loops) loop.poll(now);
      const nextTurn = (): Turn | null => this.#line?.take(now) ?? null;
      for (let turn = nextTurn(); turn !== null; turn = nextTurn()) this.#launch(turn.trip, turn);
    } finally {
      this.#polling = false;
    }
  }

  departed(flight: Flight, at: Instant): void {
    this.#flights.get(flight)?.turn?.sent(at);
  }

  landed(flight: Flight, landing: Landing): void {
    const { trip, content, turn, stake } = this.#flights.get(flight)!;
    this.#flights.delete(flight);
    const { facts, outcome, free } = landing;
    stake?.settle(outcome);
    const hint = turn === null ? landing.hint : turn.over(free, outcome, landing.hint);
    const { earlier } = trip;
    const next = nextAttempt(this.#order.plan, trip, { ...landing, hint }, this.#closing);
    if (next.again) {
      const { wait, waitBy } = next;
      const due = instant(facts.ended + wait);
      const attempt = { ...facts, outcome: next.outcome, wait, waitBy };
      this.#retries.add({ ...trip, due, earlier: [...earlier, attempt] });
    } else {
      const end = { facts, earlier, gaveUp: next.gaveUp, outcome };
      this.#observe({ trip, content }, end, free);
    }
    this.pulse();
  }

  readonly #beginIfRoom: Begin = (arrival) => {
    if (this.#flights.size + this.#waiting() < this.#cap) this.#begin(arrival);
    else this.#drop(arrival);
  };

  readonly #begin: Begin = (arrival, returned) => {
    this.#due += 1;
    this.#go({ arrival, due: arrival.due, earlier: [], returned });
  };

  #waiting(): number {
    return this.#retries.size + (this.#line?.size ?? 0);
  }

  #go(trip: Trip): void {
    if (this.#line === null) this.#launch(trip, null);
    else this.#line.add(trip);
  }

  #drop(arrival: Arrival): void {
    const now = this.#ports.clock.now();
    this.#due += 1;
    const trip = { arrival, due: arrival.due, earlier: [], returned: undefined };
    const content = contentOf(this.#order, arrival);
    const end = droppedEnd(trip, now, content.credential.name, 'saturated');
    this.#observe({ trip, content }, end, now);
  }

  #launch(trip: Trip, turn: Turn | null): void {
    const stake = this.#purse?.take(trip.arrival) ?? null;
    if (stake === null && this.#purse !== null) {
      this.#endWaiting(trip, 'run-ended');
      this.stop(milliseconds(this.#order.plan.grace));
      return;
    }
    const { transport, clock } = this.#ports;
    const content = contentOf(this.#order, trip.arrival);
    const credential = turn === null ? content.credential : this.#order.credentials[turn.key]!;
    const { flight, go } = makeReady(
      { order: this.#order, transport, memory: this.#memory, tower: this },
      { ...content, credential },
      {
        due: trip.arrival.due,
        key: credential.name,
        released: turn?.released ?? trip.due,
        reserved: turn?.reserved ?? null,
        begun: clock.now(),
      },
    );
    this.#flights.set(flight, { trip, content, turn, stake });
    go();
  }

  #observe({ trip, content }: Pick<Underway, 'trip' | 'content'>, end: End, free: Instant): void {
    this.#ports.observe(observationOf(trip, content, end));
    trip.returned?.(free);
  }

  /** Ends whatever waits: nothing more is sent. */
  #close(): void {
    this.#closing = true;
    for (const trip of [...this.#retries.clear(), ...(this.#line?.clear() ?? [])]) {
      this.#endWaiting(trip, 'run-ended');
    }
  }

  #endWaiting(trip: Trip, why: 'patience' | 'run-ended'): void {
    const now = this.#ports.clock.now();
    const content = contentOf(this.#order, trip.arrival);
    this.#observe({ trip, content }, waitingEnd(trip, now, content.credential.name, why), now);
  }

  #checkDeadlines(): void {
    const now = this.#ports.clock.now();
    const { plan } = this.#order;
    const overdue = this.#line?.takeOverdue(now, plan.deadlines.total) ?? [];
    for (const trip of overdue) this.#endWaiting(trip, 'patience');
    for (const flight of this.#flights.keys()) flight.checkDeadlines(now, plan.deadlines);
    const exhausted = this.#loops.every((loop) => loop.exhausted(now));
    if (exhausted) {
      this.#noteLoadEnd(now);
      this.#graceEnds ??= now + plan.grace;
    }
    if (this.#graceEnds !== null && now >= this.#graceEnds) {
      this.#close();
      const detail = `unfinished when the ${this.#stopped ? 'run was stopped' : 'run’s grace period ended'}`;
      for (const flight of this.#flights.keys()) flight.abort('aborted', detail);
    }
    if (exhausted && this.#flights.size + this.#waiting() === 0) this.#end();
    if (this.#isSpentByOthers()) this.stop(milliseconds(plan.grace));
  }

  /** Another slice met the end of a budget that they share, and this one knows of no end yet. */
  #isSpentByOthers(): boolean {
    return this.#graceEnds === null && (this.#purse?.empty ?? null) !== null;
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
      spent: this.#purse?.empty ?? null,
      notes: [...this.#memory.notes],
    });
  }
}

/** Sets one slice of a plan in motion. It begins at once: the clock's zero is the run's beginning. */
export const runSlice = (order: SliceOrder, ports: Ports): RunningSlice =>
  new SliceRunner(order, ports);

import type { Cannon, Firing, Volley } from '../model/cannon.ts';
import type { Exchange, ExchangeObserver } from '../model/exchange.ts';
import { saturationOf } from '../model/plan.ts';
import { type Instant, instant, type Milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { iterationIndex } from '../schedule/users.ts';
import { freshMemory, type Prepared } from '../traffic/kind.ts';
import { type Content, contentOf } from './content.ts';
import type { Flight, Landing, Tower } from './flight.ts';
import { flightFor, signedRequest } from './launch.ts';
import type { Motion, Ports, RunningSlice, SliceEnd, SliceOrder } from './slice-order.ts';
import { observationOf, type Trip } from './trip.ts';

/** Deadlines are kept to within this many milliseconds, as far as the loop has time. */
const deadlinesEvery = 20;

/** So many different requests are prepared, and one for each connection at least. */
const mostPrepared = 1024;

/** A request that is ready to be sent any number of times. */
interface Round {
  readonly content: Content;
  readonly prepared: Prepared;
}

const noteOn = (connections: number, prepared: number): string =>
  `The load ran flat out, sent by autocannon: each of ${connections.toLocaleString('en-US')} connections asked again the moment it was answered. ${prepared.toLocaleString('en-US')} requests were prepared before the load and sent in turn, again and again, with their ids: a target that keeps answers to known prompts shows it. Latencies include the generator’s own queue, and throughput is what this machine and the target did together.`;

export type Saturating = RunningSlice & { close(): Promise<void> };

/** What a slice that runs flat out needs of the world. */
export type FlatOutPorts = Pick<Ports, 'clock' | 'observe'> & { readonly cannon: Cannon };

class Saturation implements Tower {
  readonly done: Promise<SliceEnd>;
  readonly #order: SliceOrder;
  readonly #ports: FlatOutPorts;
  readonly #flights = new Map<Flight, { readonly trip: Trip; readonly content: Content }>();
  readonly #memory = freshMemory();
  readonly #rounds: readonly (readonly Round[])[];
  /** Since when each connection has nothing to do; nobody waits for one that has not begun. */
  readonly #free: (Instant | undefined)[] = [];
  readonly #until: Instant;
  readonly #finish: (end: SliceEnd) => void;
  readonly #stopTicking: () => void;
  readonly #firing: Firing;
  #due = 0;
  #stopped = false;
  #loadEnded: Instant | null = null;
  #graceEnds = Number.POSITIVE_INFINITY;

  constructor(order: SliceOrder, ports: FlatOutPorts, connections: number) {
    this.#order = order;
    this.#ports = ports;
    this.#until = scheduledEnd(order.plan);
    this.#rounds = this.#prepared(connections);
    ({ promise: this.done, resolve: this.#finish } = Promise.withResolvers<SliceEnd>());
    this.#stopTicking = ports.clock.every(deadlinesEvery, () => this.#checkDeadlines());
    const requests = this.#rounds.map((own) => own.map(({ prepared }) => prepared.request));
    this.#firing = ports.cannon.fire({ requests, begin: this.#begin });
  }

  motion(): Motion {
    return { due: this.#due, inFlight: this.#flights.size };
  }

  stop(grace: Milliseconds): void {
    const now = this.#ports.clock.now();
    if (this.#loadEnded === null && now < this.#until) this.#stopped = true;
    this.#cease(now, grace);
    this.#checkDeadlines();
  }

  close(): Promise<void> {
    return this.#firing.close();
  }

  departed(): void {}

  /** After each read: the plan's end is kept though timers may starve. */
  pulse(): void {
    const now = this.#ports.clock.now();
    if (this.#loadEnded === null && now >= this.#until) this.#cease(now, this.#order.plan.grace);
  }

  landed(flight: Flight, { facts, outcome, free }: Landing): void {
    const { trip, content } = this.#flights.get(flight)!;
    this.#flights.delete(flight);
    this.#ports.observe(
      observationOf(trip, content, { facts, earlier: [], gaveUp: null, outcome }),
    );
    trip.returned?.(free);
  }

  /** The requests that as many users would ask first. */
  #prepared(connections: number): readonly (readonly Round[])[] {
    const each = Math.max(1, Math.floor(mostPrepared / connections));
    return Array.from({ length: connections }, (_, connection) =>
      Array.from({ length: each }, (__, turn) => {
        const index = iterationIndex(connection, turn, connections);
        const content = contentOf(this.#order, { stage: 0, index, due: instant(0) });
        const runway = { order: this.#order, memory: this.#memory };
        return { content, prepared: signedRequest(runway, content) };
      }),
    );
  }

  readonly #begin: Volley['begin'] = (
    connection,
    request,
    exchange: Exchange,
  ): ExchangeObserver => {
    const { content, prepared } = this.#rounds[connection]![request]!;
    const begun = this.#ports.clock.now();
    const due = this.#free[connection] ?? begun;
    const arrival = { stage: 0, index: this.#due, due };
    const returned = (free: Instant): void => {
      this.#free[connection] = free;
    };
    this.#due += 1;
    const key = content.credential.name;
    const flight = flightFor({ order: this.#order, memory: this.#memory, tower: this }, prepared, {
      ...{ due, key, released: due, reserved: null, begun },
    });
    flight.board(exchange);
    this.#flights.set(flight, { trip: { arrival, due, earlier: [], returned }, content });
    return flight;
  };

  #cease(now: Instant, grace: Milliseconds): void {
    this.#loadEnded ??= instant(Math.min(now, this.#until));
    this.#graceEnds = Math.min(this.#graceEnds, now + grace);
    this.#firing.cease();
  }

  #checkDeadlines(): void {
    this.pulse();
    const now = this.#ports.clock.now();
    for (const flight of this.#flights.keys()) {
      flight.checkDeadlines(now, this.#order.plan.deadlines);
    }
    if (now >= this.#graceEnds) {
      const detail = `unfinished when the ${this.#stopped ? 'run was stopped' : 'run’s grace period ended'}`;
      for (const flight of this.#flights.keys()) flight.abort('aborted', detail);
    }
    if (this.#loadEnded !== null && this.#flights.size === 0) this.#end(this.#loadEnded);
  }

  #end(loadEnded: Instant): void {
    this.#stopTicking();
    const prepared = this.#rounds.reduce((sum, own) => sum + own.length, 0);
    const notes = [noteOn(this.#rounds.length, prepared), ...this.#memory.notes];
    this.#finish({ loadEnded, stopped: this.#stopped, spent: null, notes });
  }
}

/** Sets a plan whose only load runs flat out in motion. */
export const saturate = (order: SliceOrder, ports: FlatOutPorts): Saturating => {
  const load = saturationOf(order.plan);
  if (load === null) throw new Error('the plan has no load that runs flat out');
  return new Saturation(order, ports, load.connections);
};

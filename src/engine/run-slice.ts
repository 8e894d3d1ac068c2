import { requestIdHeader } from '../contract/routes.ts';
import type { Arrival } from '../model/arrival.ts';
import type { DroppedCause, Observation } from '../model/observation.ts';
import { type Instant, instant, type Milliseconds } from '../model/quantity.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { prepare } from '../traffic/kinds.ts';
import { freshMemory } from '../traffic/kind.ts';
import { contentOf } from './content.ts';
import { Flight, type Tower } from './flight.ts';
import { loopsFor } from './loops-for.ts';
import type { Begin, Loop } from './loop.ts';
import {
  capOf,
  type Motion,
  type Ports,
  type RunningSlice,
  type SliceEnd,
  type SliceOrder,
} from './slice-order.ts';

const pollEvery = 1;
/** Deadlines are kept to within this many milliseconds. */
const deadlinesEvery = 20;

class SliceRunner implements RunningSlice, Tower {
  readonly done: Promise<SliceEnd>;
  readonly #order: SliceOrder;
  readonly #ports: Ports;
  readonly #cap: number;
  readonly #flights = new Map<Flight, ((ended: Instant) => void) | undefined>();
  readonly #memory = freshMemory();
  readonly #loops: readonly Loop[];
  readonly #finish: (end: SliceEnd) => void;
  readonly #stopTicking: readonly (() => void)[];
  #due = 0;
  #polling = false;
  #stopped = false;
  #loadEnded: Instant | null = null;
  /** When what is still in flight is aborted; known once no arrival is left. */
  #graceEnds: number | null = null;

  constructor(order: SliceOrder, ports: Ports) {
    this.#order = order;
    this.#ports = ports;
    this.#cap = capOf(order);
    this.#loops = loopsFor(order, {
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
    this.#checkDeadlines();
  }

  pulse(): void {
    // An exchange that fails at once lands within the poll that began it.
    if (this.#polling) return;
    this.#polling = true;
    try {
      const now = this.#ports.clock.now();
      for (const loop of this.#loops) loop.poll(now);
    } finally {
      this.#polling = false;
    }
  }

  landed(flight: Flight, observation: Observation, free: Instant): void {
    const returned = this.#flights.get(flight);
    this.#flights.delete(flight);
    this.#ports.observe(observation);
    returned?.(free);
    this.pulse();
  }

  readonly #beginIfRoom: Begin = (arrival) => {
    if (this.#flights.size >= this.#cap) this.#drop(arrival, 'saturated');
    else this.#begin(arrival);
  };

  readonly #begin: Begin = (arrival, returned) => {
    const begun = this.#ports.clock.now();
    this.#due += 1;
    const { plan, headers, userAgent, redact, clips, workload } = this.#order;
    const { traffic, model, credential, draw, requestId } = contentOf(this.#order, arrival);
    const { request, read } = prepare(traffic, {
      draw,
      memory: this.#memory,
      clips,
      ask: (source) => workload.ask(source, arrival, draw),
    });
    const { kind } = traffic;
    const reader = read({
      begun,
      redact,
      redactId: redact,
      caps: plan.caps,
      streams: plan.streams,
      memory: this.#memory,
    });
    const key = credential.name;
    const flight = new Flight(
      { arrival, requestId, traffic: kind, model, key, begun },
      reader,
      this,
    );
    this.#flights.set(flight, returned);
    flight.board(
      this.#ports.transport.send(
        {
          ...request,
          headers: {
            'user-agent': userAgent,
            ...request.headers,
            authorization: `Bearer ${credential.value}`,
            ...headers,
            [requestIdHeader]: requestId,
          },
        },
        flight,
      ),
    );
  };

  #drop(arrival: Arrival, cause: DroppedCause): void {
    const now = this.#ports.clock.now();
    this.#due += 1;
    const { traffic, model, credential, requestId } = contentOf(this.#order, arrival);
    this.#ports.observe({
      requestId,
      stage: arrival.stage,
      index: arrival.index,
      traffic: traffic.kind,
      model,
      key: credential.name,
      due: arrival.due,
      released: arrival.due,
      begun: now,
      connected: null,
      connection: null,
      sent: null,
      head: null,
      ended: now,
      outcome: { kind: 'dropped', cause },
    });
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
      for (const flight of this.#flights.keys()) {
        flight.abort('aborted', 'unfinished when the run’s grace period ended');
      }
    }
    if (exhausted && this.#flights.size === 0) this.#end();
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

import { requestIdHeader } from '../contract/routes.ts';
import type { Arrival, Slice } from '../model/arrival.ts';
import type { Clock } from '../model/clock.ts';
import { drawFrom } from '../model/draw.ts';
import type { Transport } from '../model/exchange.ts';
import type { DroppedCause, Observation } from '../model/observation.ts';
import type { Plan } from '../model/plan.ts';
import { type Instant, instant, type Milliseconds } from '../model/quantity.ts';
import { modelOf } from '../model/traffic.ts';
import { scheduledEnd } from '../schedule/stages.ts';
import { prepareRequest, readerFor } from '../traffic/kinds.ts';
import { freshMemory } from '../traffic/kind.ts';
import { Flight, type Tower } from './flight.ts';
import { loopsFor } from './loops-for.ts';
import type { Begin, Loop } from './loop.ts';

/** A key with its value, for the engine's request heads only. */
export interface Credential {
  readonly name: string;
  readonly weight: number;
  readonly value: string;
}

/** What a slice of a run needs to know. */
export interface SliceOrder {
  readonly plan: Plan;
  readonly slice: Slice;
  readonly runId: string;
  readonly credentials: readonly Credential[];
  /** Extra request headers, secrets filled in. */
  readonly headers: Readonly<Record<string, string>>;
  readonly userAgent: string;
  /** Masks the run's secrets in whatever a server says. */
  readonly redact: (text: string) => string;
}

export interface Ports {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Takes every observation, once, in the order in which they end. */
  readonly observe: (observation: Observation) => void;
}

/** What is going on right now, for the live display. */
export interface Motion {
  readonly due: number;
  readonly inFlight: number;
}

export interface SliceEnd {
  /** When the load ended: by the plan, when nothing was left to ask, or where it was stopped. */
  readonly loadEnded: Instant;
  /** Whether arrivals of the plan were left out because the slice was stopped. */
  readonly stopped: boolean;
  readonly notes: readonly string[];
}

/** A slice of a run in motion. */
export interface RunningSlice {
  readonly done: Promise<SliceEnd>;
  motion(): Motion;
  /** No new arrivals; what is in flight may still end within `grace`. A second call can shorten the grace. */
  stop(grace: Milliseconds): void;
}

const pollEvery = 1;
/** Deadlines are kept to within this many milliseconds. */
const deadlinesEvery = 20;

/** This slice's part of the plan's cap on exchanges in flight. */
const capOf = ({ plan, slice }: SliceOrder): number =>
  Math.max(
    1,
    Math.floor(plan.inFlight / slice.count) + (slice.index < plan.inFlight % slice.count ? 1 : 0),
  );

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
    const { plan, headers, userAgent, redact } = this.#order;
    const { traffic, credential, draw, requestId } = this.#contentOf(arrival);
    const request = prepareRequest(traffic, draw, this.#memory);
    const { kind } = traffic;
    const reader = readerFor(kind, {
      begun,
      redact,
      caps: plan.caps,
      streams: plan.streams,
      memory: this.#memory,
    });
    const model = modelOf(traffic);
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

  /** Everything about request (stage, index) that is drawn; equal for any number of slices. */
  #contentOf({ stage, index }: Arrival) {
    const { plan, credentials, runId } = this.#order;
    const draw = drawFrom(plan.seed, stage, index);
    const traffic = draw.pick(plan.stages[stage]!.traffic, ({ weight }) => weight);
    const credential = draw.pick(credentials, ({ weight }) => weight);
    return { draw, traffic, credential, requestId: `${runId}-${stage}-${index}` };
  }

  #drop(arrival: Arrival, cause: DroppedCause): void {
    const now = this.#ports.clock.now();
    this.#due += 1;
    const { traffic, credential, requestId } = this.#contentOf(arrival);
    this.#ports.observe({
      requestId,
      stage: arrival.stage,
      index: arrival.index,
      traffic: traffic.kind,
      model: modelOf(traffic),
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

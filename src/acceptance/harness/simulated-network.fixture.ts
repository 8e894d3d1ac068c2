import type { Clock } from '../../model/clock.ts';
import type { ExchangeObserver, Transport, WireRequest } from '../../model/observation/exchange.ts';
import { drawFrom } from '../../model/workload/draw.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import { type EventQueue, queueClock, runUntilSettled } from './event-queue.fixture.ts';

export interface SimulatedAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export interface SimulatedNetwork {
  readonly transport: Transport;
  readonly clock: Clock;
  readonly sleepUntil: (moment: Instant) => Promise<void>;
  /** Advances the clock until the work is done. */
  run<T>(work: Promise<T>): Promise<T>;
}

export interface NetworkOptions {
  readonly queue: EventQueue;
  /** The time that the next request or answer is under way, in ms. */
  readonly travelTime: () => number;
  /** When a gateway that may pause handles what arrives at `moment`. */
  readonly processedAt: (moment: number) => number;
  /** The `Date` header of an answer that is written at `moment`; `null` for none. */
  readonly dateAt: (moment: number) => string | null;
  /** Handles a request of connection `connection`; `answer` may be called at any later time. */
  readonly receive: (
    request: WireRequest,
    answer: (answer: SimulatedAnswer) => void,
    connection: number,
  ) => void;
}

/** When a machine that pauses once a second, for up to `pause` ms, handles what arrives at `moment`. */
export const pausingMachine =
  (seed: number, pause: number) =>
  (moment: number): number => {
    const second = Math.floor(moment / 1000);
    const pauses = drawFrom(seed, 7, second);
    const begin = second * 1000 + pauses.uniform() * 900;
    const end = begin + pauses.uniform() * pause;
    return moment >= begin && moment < end ? end : moment;
  };

/** An exchange that stops calling its observer once it has ended. */
class SimulatedExchange {
  readonly #queue: EventQueue;
  readonly #observer: ExchangeObserver;
  readonly #release: () => void;
  #isOver = false;

  constructor(queue: EventQueue, observer: ExchangeObserver, release: () => void) {
    this.#queue = queue;
    this.#observer = observer;
    this.#release = release;
    observer.onSent(instant(queue.now));
  }

  answer({ status, headers, body }: SimulatedAnswer, date: string | null): void {
    const at = instant(this.#queue.now);
    const plain = { ...(date === null ? {} : { date }), 'content-type': 'application/json' };
    if (!this.#isOver) this.#release();
    if (!this.#isOver) this.#observer.onHeaders(at, status, { ...plain, ...headers });
    if (!this.#isOver) this.#observer.onChunk(at, Buffer.from(body));
    if (!this.#isOver) this.#observer.onEnd(at);
    this.#isOver = true;
  }

  abort(cause: Parameters<ExchangeObserver['onFailure']>[1], detail: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#observer.onFailure(instant(this.#queue.now), cause, detail);
  }
}

/** A transport to a gateway that is a function, on a clock that jumps from event to event. */
export const openSimulatedNetwork = (options: NetworkOptions): SimulatedNetwork => {
  const { queue, travelTime, processedAt, dateAt, receive } = options;
  /** Connections that are free, the one that was used last at the end; an aborted exchange never returns its own. */
  const idle: number[] = [];
  let opened = 0;
  const send = (request: WireRequest, observer: ExchangeObserver) => {
    const connection = idle.pop() ?? opened++;
    const exchange = new SimulatedExchange(queue, observer, () => idle.push(connection));
    const deliver = (answer: SimulatedAnswer): void => {
      const date = dateAt(queue.now);
      queue.at(queue.now + travelTime(), () => exchange.answer(answer, date));
    };
    queue.at(processedAt(queue.now + travelTime()), () => receive(request, deliver, connection));
    return exchange;
  };
  return {
    transport: {
      send,
      connectAhead: () => undefined,
      notes: () => [],
      close: async () => undefined,
    },
    clock: queueClock(queue),
    sleepUntil: (moment) => new Promise((resolve) => void queue.at(moment, resolve)),
    run: (work) => runUntilSettled(queue, work),
  };
};

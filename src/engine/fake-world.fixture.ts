import type { Clock } from '../model/clock.ts';
import type {
  BrokenCause,
  Exchange,
  ExchangeObserver,
  Transport,
  WireRequest,
} from '../model/observation/exchange.ts';
import { type Instant, instant } from '../model/quantity.ts';

/** A clock that the test moves, and a transport whose answers the test gives. */
export interface FakeWorld {
  readonly clock: Clock;
  readonly transport: Transport;
  /** Every request so far, in order. */
  readonly sent: readonly SentRequest[];
  /** The numbers of connections that were requested ahead, and when, in order. */
  readonly connectAhead: readonly { readonly at: Instant; readonly count: number }[];
  /** Returns the number of running alarms and timers of the clock. */
  listeners(): number;
  /** Moves time to `at` in steps of one millisecond. It fires the tickers on the way. */
  advanceTo(at: number): void;
}

export interface SentRequest {
  readonly request: WireRequest;
  readonly at: Instant;
  readonly observer: ExchangeObserver;
  /** The reason why it was aborted; `null` if it was not. */
  aborted: string | null;
  /** Answers with a whole response at once. */
  answer(
    status: number,
    contentType: string,
    body: string,
    headers?: Readonly<Record<string, string>>,
  ): void;
  /** Breaks the exchange at once. */
  fail(cause: BrokenCause): void;
  isFinished: boolean;
}

interface Ticker {
  readonly every: number;
  readonly tick: () => void;
  next: number;
}

const openExchange = (request: WireRequest, observer: ExchangeObserver, now: () => Instant) => {
  const exchange: SentRequest = {
    request,
    at: now(),
    observer,
    aborted: null,
    isFinished: false,
    answer: (status, contentType, body, headers = {}) => {
      observer.onHeaders(now(), status, { 'content-type': contentType, ...headers });
      if (body !== '') observer.onChunk(now(), new TextEncoder().encode(body));
      exchange.isFinished = true;
      observer.onEnd(now());
    },
    fail: (cause) => {
      exchange.isFinished = true;
      observer.onFailure(now(), cause, 'by hand');
    },
  };
  return exchange;
};

/** Creates a fake world. `sendTakes` is the time in ms that it takes to begin a request. */
export const fakeWorld = ({ sendTakes = 0 } = {}): FakeWorld => {
  let time = 0;
  const now = (): Instant => instant(time);
  const tickers = new Set<Ticker>();
  const alarms = new Set<{ at: Instant | null; readonly ring: () => void }>();
  const sent: SentRequest[] = [];
  const connectAhead: FakeWorld['connectAhead'][number][] = [];
  return {
    sent,
    connectAhead,
    clock: {
      now,
      read: now,
      every: (milliseconds, tick) => {
        const entry = { every: milliseconds, tick, next: time + milliseconds };
        tickers.add(entry);
        return () => tickers.delete(entry);
      },
      alarm: (ring) => {
        const entry = { at: null as Instant | null, ring };
        alarms.add(entry);
        return {
          set: (at) => {
            entry.at = at;
          },
          stop: () => alarms.delete(entry),
        };
      },
    },
    transport: {
      send: (request, observer): Exchange => {
        const exchange = openExchange(request, observer, now);
        sent.push(exchange);
        time += sendTakes;
        observer.onConnected(now(), 'new');
        observer.onSent(now());
        return {
          abort: (cause, detail) => {
            if (exchange.isFinished) return;
            exchange.isFinished = true;
            exchange.aborted = cause;
            observer.onFailure(now(), cause, detail);
          },
        };
      },
      connectAhead: (count) => void connectAhead.push({ at: now(), count }),
      notes: () => [],
      close: () => Promise.resolve(),
    },
    listeners: () => alarms.size + tickers.size,
    advanceTo: (at) => {
      while (time < at) {
        time = Math.min(at, time + 1);
        for (const alarm of Array.from(alarms)) {
          if (alarm.at === null || alarm.at > time) continue;
          alarm.at = null;
          alarm.ring();
        }
        for (const entry of Array.from(tickers)) {
          if (tickers.has(entry) && time >= entry.next) {
            entry.next += entry.every;
            entry.tick();
          }
        }
      }
    },
  };
};

/** Moves a world on for four seconds. Every request gets this status 40 ms after it was sent. */
export const failAll = (world: FakeWorld, status: number, body: string): void => {
  for (let now = 20; now <= 4000; now += 20) {
    world.advanceTo(now);
    for (const exchange of world.sent)
      if (!exchange.isFinished && exchange.at <= now - 40)
        exchange.answer(status, 'application/json', body);
  }
};

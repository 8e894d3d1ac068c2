import { scheduleTokens } from '../serving/token-schedule.ts';
import { type EventStream, ResponseStream } from './event-stream.ts';
import type { MockExchange } from './mock-exchange.ts';
import type { MockClock } from '../clock/mock-clock.ts';
import type { CreditCharge } from '../counters/credit-accounts.ts';
import type { Permit, LimitExceeded } from '../limits/key-limiter.ts';
import type { Serving } from '../serving/serving.ts';
import type { Settings } from '../settings/settings.ts';

/** A request that passed the checks of path, key, credits and limits. */
export interface AdmittedRequest {
  readonly exchange: MockExchange;
  readonly key: string;
  readonly permit: Permit;
  /** Answers with the 429 of a limit that is exceeded only after the body is read. */
  readonly refuseByLimit: (exceeded: LimitExceeded) => void;
  /** Charges the key's credits and counts the amount. */
  readonly bill: (charge: CreditCharge) => void;
  readonly serving: Serving;
  readonly settings: Settings;
  readonly clock: MockClock;
}

export type Handler = (admitted: AdmittedRequest) => void;

/** Runs `answer` at `due`, unless the request ends before. */
export const answerAt = (
  { exchange, clock }: AdmittedRequest,
  due: number,
  answer: () => void,
): void => {
  const timing = { first: due, gap: 0, steps: 1 };
  exchange.onInterruption = scheduleTokens(clock, timing, { emit: answer });
};

/**
 * Sends a body after its head, piece by piece as fast as the client reads, so that a body of any length takes little
 * memory. `finish` runs before the end is written, but not for a request that ends early.
 */
export const sendBody = (
  exchange: MockExchange,
  pieces: Iterator<Uint8Array, void>,
  finish: () => void,
): void => {
  const { response } = exchange;
  const send = (): void => {
    let hasRoom = true;
    while (hasRoom && exchange.isOpen) {
      const piece = pieces.next();
      if (piece.done === true) {
        finish();
        return void response.end();
      }
      hasRoom = response.write(exchange.encode(piece.value));
    }
    if (!hasRoom) response.once('drain', send);
  };
  send();
};

export const openEventStream = (exchange: MockExchange): EventStream => {
  const { response } = exchange;
  exchange.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  return exchange.shapeStream(new ResponseStream(response));
};

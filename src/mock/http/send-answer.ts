import { scheduleTokens } from '../serving/token-schedule.ts';
import { type EventStream, ResponseStream } from './event-stream.ts';
import type { AdmittedRequest } from './handler.ts';
import type { MockExchange } from './mock-exchange.ts';

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

import { type EventStream, ResponseStream } from './event-stream.ts';
import type { MockExchange } from './mock-exchange.ts';

/** Sends the head of a stream. */
export const openEventStream = (exchange: MockExchange): EventStream => {
  const { response } = exchange;
  exchange.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  return exchange.wrappedStream(new ResponseStream(response));
};

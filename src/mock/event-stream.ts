import type { Exchange } from './exchange.ts';

/** A Server-Sent Events answer whose head is on the wire. */
export interface EventStream {
  /** Hands events, or what a fault made of them, over to the socket in one write; never nothing, which would end the message. */
  write(events: string | Uint8Array): void;
  end(): void;
}

/**
 * Sends the head of a stream. Events are framed here and written past the response object, which
 * would hold each back until the end of the tick; the response still ends the message.
 */
export const openEventStream = (exchange: Exchange): EventStream => {
  const { response } = exchange;
  exchange.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
  });
  response.flushHeaders();
  return exchange.shaped({
    write: (events) => {
      // Without a socket an earlier answer on this connection is not complete; without chunks the client speaks HTTP/1.0.
      if (response.socket === null || !response.chunkedEncoding) response.write(events);
      else {
        const length = Buffer.byteLength(events);
        const size = length.toString(16);
        if (typeof events !== 'string') {
          response.socket.write(
            Buffer.concat([Buffer.from(`${size}\r\n`), events, Buffer.from('\r\n')]),
          );
        } else {
          // What is ASCII needs no encoder.
          const encoding = length === events.length ? 'latin1' : 'utf8';
          response.socket.write(`${size}\r\n${events}\r\n`, encoding);
        }
      }
    },
    end: () => response.end(),
  });
};

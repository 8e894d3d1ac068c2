import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { MockClock } from '../clock/mock-clock.ts';

/** An answer of Server-Sent Events after its head. */
export interface EventStream {
  /** Writes events, possibly changed by a fault, to the socket at once; never an empty text, which would end the message. */
  write(events: string | Uint8Array): void;
  end(): void;
}

/**
 * Frames events itself and writes them past the response object, which would hold each back until the end of the
 * tick; the response still ends the message. It is one object without closures for the reason in `Recurring`.
 */
export class ResponseStream implements EventStream {
  readonly #response: ServerResponse;
  #socket: Socket | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(events: string | Uint8Array): void {
    const socket = (this.#socket ??= this.#chunkedSocket());
    if (socket === null) return void this.#response.write(events);
    const length = Buffer.byteLength(events);
    const size = length.toString(16);
    if (typeof events === 'string') {
      // ASCII needs no encoder.
      const encoding = length === events.length ? 'latin1' : 'utf8';
      socket.write(`${size}\r\n${events}\r\n`, encoding);
    } else {
      socket.write(Buffer.concat([Buffer.from(`${size}\r\n`), events, Buffer.from('\r\n')]));
    }
  }

  end(): void {
    this.#response.end();
  }

  /** `null` while an earlier answer on this connection is incomplete, and for clients with HTTP/1.0. */
  #chunkedSocket(): Socket | null {
    const { socket, chunkedEncoding } = this.#response;
    return chunkedEncoding ? socket : null;
  }
}

/** Adds to each JSON event of a stream the time at which it is written, as its first field. */
export const addSendTimestamps =
  (clock: MockClock) =>
  (stream: EventStream): EventStream => ({
    write: (events) =>
      stream.write(
        String(events).replaceAll(/^data: \{/gm, `data: {"x_weir_sent":${clock.now()},`),
      ),
    end: () => stream.end(),
  });

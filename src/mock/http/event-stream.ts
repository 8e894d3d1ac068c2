import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A Server-Sent Events answer whose head is on the wire. */
export interface EventStream {
  /** Hands events, or what a fault made of them, over to the socket in one write; never nothing, which would end the message. */
  write(events: string | Uint8Array): void;
  end(): void;
}

/**
 * Events are framed here and written past the response object, which would hold each back until the end of the tick;
 * the response still ends the message. One object, and no closures, as `Recurring` says why.
 */
export class ResponseStream implements EventStream {
  readonly #response: ServerResponse;
  #socket: Socket | null = null;

  constructor(response: ServerResponse) {
    this.#response = response;
  }

  write(events: string | Uint8Array): void {
    const socket = (this.#socket ??= this.#chunkedSocket());
    if (socket === null) {
      this.#response.write(events);
      return;
    }
    const length = Buffer.byteLength(events);
    const size = length.toString(16);
    if (typeof events !== 'string') {
      socket.write(Buffer.concat([Buffer.from(`${size}\r\n`), events, Buffer.from('\r\n')]));
      return;
    }
    // What is ASCII needs no encoder.
    socket.write(`${size}\r\n${events}\r\n`, length === events.length ? 'latin1' : 'utf8');
  }

  end(): void {
    this.#response.end();
  }

  /** `null` while an earlier answer on this connection is not complete, and where the client speaks HTTP/1.0. */
  #chunkedSocket(): Socket | null {
    const { socket, chunkedEncoding } = this.#response;
    return chunkedEncoding ? socket : null;
  }
}

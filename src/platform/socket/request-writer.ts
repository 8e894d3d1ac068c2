import type { Writable } from 'node:stream';

/** Larger requests are written in two pieces. */
const sharedBufferSize = 64 * 1024;

/** Writes requests; small ones are assembled in one buffer that all connections share. */
export class RequestWriter {
  #sharedBuffer = Buffer.allocUnsafeSlow(sharedBufferSize);
  /** Bytes before this position may still be in use by sockets. */
  #free = 0;

  /** `head` is Latin-1. The body must not change until it is sent. */
  write(socket: Writable, head: string, body: Uint8Array | null): void {
    const size = head.length + (body?.length ?? 0);
    if (size > sharedBufferSize) {
      socket.cork();
      socket.write(head, 'latin1');
      if (body !== null) socket.write(body);
      return socket.uncork();
    }
    if (this.#free + size > sharedBufferSize) {
      this.#sharedBuffer = Buffer.allocUnsafeSlow(sharedBufferSize);
      this.#free = 0;
    }
    const [sharedBuffer, from] = [this.#sharedBuffer, this.#free];
    sharedBuffer.write(head, from, 'latin1');
    if (body !== null) sharedBuffer.set(body, from + head.length);
    socket.write(sharedBuffer.subarray(from, from + size));
    // Bytes that the system has not accepted yet (always under TLS) stay in use by the socket.
    if (socket.writableLength > 0) this.#free += size;
  }
}

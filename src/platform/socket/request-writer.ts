import type { Writable } from 'node:stream';

/** Larger requests go out in two pieces of one write. */
const sharedBufferSize = 64 * 1024;

/** Writes requests; small ones are put together in one buffer that all connections share. */
export class RequestWriter {
  #sharedBuffer = Buffer.allocUnsafeSlow(sharedBufferSize);
  /** Before this place lies what sockets still hold. */
  #free = 0;

  /** `head` is Latin-1. The body must stay as it is until it is sent. */
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
    // What the system did not take at once still lies there, as all does under TLS: that place is the socket's now.
    if (socket.writableLength > 0) this.#free += size;
  }
}

import type { Writable } from 'node:stream';

/** Larger requests go out in two pieces of one write. */
const scratchSize = 64 * 1024;

/** Writes requests; small ones are put together in one buffer that all connections share. */
export class RequestWriter {
  #scratch = Buffer.allocUnsafeSlow(scratchSize);

  /** `head` is Latin-1. The body must stay as it is until it is sent. */
  write(socket: Writable, head: string, body: Uint8Array | null): void {
    const size = head.length + (body?.length ?? 0);
    if (size > scratchSize) {
      socket.cork();
      socket.write(head, 'latin1');
      if (body !== null) socket.write(body);
      return socket.uncork();
    }
    const scratch = this.#scratch;
    scratch.write(head, 'latin1');
    if (body !== null) scratch.set(body, head.length);
    socket.write(scratch.subarray(0, size));
    // What the system did not take at once still lies in the buffer: that is the socket's now.
    if (socket.writableLength > 0) this.#scratch = Buffer.allocUnsafeSlow(scratchSize);
  }
}

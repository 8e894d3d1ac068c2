/** Shared, since most streams never need a buffer. */
const emptyBuffer: Buffer = Buffer.alloc(0);

/**
 * Bytes copied from socket reads into one growing buffer. Bytes beyond `limit` are dropped,
 * and `isTruncated` says so. Only the methods change it.
 */
export class ByteBuffer {
  length = 0;
  isTruncated = false;
  /** Its first `length` bytes are valid, and the next `append` may replace it. */
  buffer = emptyBuffer;
  readonly #limit: number;

  constructor(limit: number) {
    this.#limit = limit;
  }

  append(bytes: Uint8Array, start = 0, end = bytes.length): void {
    const room = this.#limit - this.length;
    if (end - start > room) this.isTruncated = true;
    const count = Math.min(end - start, room);
    const length = this.length + count;
    if (length > this.buffer.length) this.#grow(length);
    this.buffer.set(bytes.subarray(start, start + count), this.length);
    this.length = length;
  }

  clear(): void {
    this.length = 0;
    this.isTruncated = false;
  }

  bytes(): Buffer {
    return this.buffer.subarray(0, this.length);
  }

  #grow(length: number): void {
    // From Node's pool while small: allocating separate memory for each short answer costs more than reading it.
    const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.buffer.length, 256));
    this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

/** The empty buffer with which all streams begin. Most streams never need their own buffer. */
const emptyBuffer: Buffer = Buffer.alloc(0);

/**
 * Copies the bytes of socket reads into one growing buffer. Bytes beyond `limit` are dropped, and `isTruncated` becomes
 * true. Code outside this class must not change its fields.
 */
export class ByteBuffer {
  length = 0;
  isTruncated = false;
  /**
   * The buffer that contains the bytes. Only the first `length` bytes are valid. The next `append` may replace the
   * buffer.
   */
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
    // Most reads are appended whole. Creating a view of a whole read would take longer than this check.
    const isWhole = count === bytes.length;
    this.buffer.set(isWhole ? bytes : bytes.subarray(start, start + count), this.length);
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
    // Small buffers come from Node's pool. Allocating separate memory for each short answer takes longer than reading
    // the answer.
    const grown = Buffer.allocUnsafe(Math.max(length, 2 * this.buffer.length, 256));
    if (this.length > 0) this.buffer.copy(grown, 0, 0, this.length);
    this.buffer = grown;
  }
}

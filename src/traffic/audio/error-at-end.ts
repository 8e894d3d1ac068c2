import { ByteBuffer } from '../answer/byte-buffer.ts';
import { readErrorLine } from '../answer/read-refusal.ts';
import { jsonIn, objectOf } from '../answer/json-text.ts';
import type { ReadingContext } from '../traffic-handler.ts';

/**
 * This file finds an error that a server appends to audio when it fails halfway. The server has already sent the
 * status, so only the body can contain the error. If the header does not declare the length of the audio, the error
 * would count as audio.
 */

/** Only this many bytes at the end of a body are searched for an error. */
const maxErrorBytes = 2048;
/** At most this many `{` are tried as the beginning of the error. */
const maxStarts = 20;

/**
 * Returns whether the field `error` says that something failed. This check is necessary, because the tags of an intact
 * file may also end in JSON.
 */
const isFailure = (error: unknown): boolean => {
  if (typeof error === 'string') return !/^(?:none|null|no|ok|)$/i.test(error.trim());
  const { message, type } = objectOf(error) ?? {};
  return [message, type].some((text) => typeof text === 'string' && text.trim() !== '');
};

const zero = new Uint8Array(1);

/** Keeps the last bytes of a body that arrives in pieces. Zero bytes at the end of the body are left out. */
export class BodyEnd {
  /**
   * The stored bytes. The buffer has twice the size of the searched part, so most pieces are appended without moving
   * earlier bytes.
   */
  readonly #kept = new ByteBuffer(2 * maxErrorBytes);
  #hasZeros = false;

  append(bytes: Uint8Array): void {
    let end = bytes.length;
    while (end > 0 && bytes[end - 1] === 0) end -= 1;
    if (end > 0) {
      // No error contains a zero byte, so one stored zero byte can stand for all zero bytes that came before `bytes`.
      if (this.#hasZeros) this.#keep(zero, 1);
      this.#keep(bytes, end);
    }
    this.#hasZeros = end < bytes.length || (end === 0 && this.#hasZeros);
  }

  #keep(bytes: Uint8Array, end: number): void {
    const start = Math.max(0, end - maxErrorBytes);
    if (this.#kept.length + end - start > 2 * maxErrorBytes) {
      const last = this.#last();
      this.#kept.clear();
      this.#kept.append(last);
    }
    this.#kept.append(bytes, start, end);
  }

  /** Returns the message of a JSON error at the end of the body; `null` if the body does not end with an error. */
  error(redact: ReadingContext['redact']): string | null {
    const last = this.#last();
    const end = last.findLastIndex((byte) => byte > 0x20) + 1;
    if (last[end - 1] !== 0x7d) return null;
    const text = last.toString('utf8', 0, end).replace(/^.*[\0-\x08\x0e-\x1f\ufffd]/s, '');
    let start = text.indexOf('{');
    for (let tried = 0; start >= 0 && tried < maxStarts; tried += 1) {
      const rest = text.slice(start).trimEnd();
      const document = objectOf(jsonIn(rest));
      if (document !== null)
        return isFailure(document['error']) ? readErrorLine(rest, redact) : null;
      start = text.indexOf('{', start + 1);
    }
    return null;
  }

  #last(): Buffer {
    return this.#kept.bytes().subarray(-maxErrorBytes);
  }
}

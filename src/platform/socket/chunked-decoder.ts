import { HttpFault, maxSectionBytes } from './response-head.ts';

/**
 * Receives content without its framing: the part of `bytes` from `from` to `to`, which is valid only during the call.
 * `onContent` is called at most once for each read.
 */
export interface ContentSink {
  onContent(bytes: Buffer, from: number, to: number): void;
}

/** The states of the parser of the chunked coding. */
const inSize = 0;
const inExtension = 1;
const beforeSizeLf = 2;
const inContent = 3;
const beforeContentCr = 4;
const beforeContentLf = 5;

const cr = 13;
const lf = 10;
const tab = 9;
const semicolon = 59;

/**
 * Matches chunk extensions from the first semicolon on. The pattern accepts slightly more than RFC 9112, section 7.1.1,
 * allows, as other clients do.
 */
const extensions =
  /^(?:;(?!$)[!#$%&'*+.^_`|~\w-]*(?:=[!#$%&'*+.^_`|~\w-]*(?:"(?:[^"\\]|\\.)*")?)?)+$/;

/**
 * The maximum number of digits of a chunk size. Thirteen hexadecimal digits are less than 2^53, so the size is exact.
 */
const maxSizeDigits = 13;

const digitOf = (byte: number): number => {
  if (byte >= 48 && byte <= 57) return byte - 48;
  const lower = byte | 32;
  return lower >= 97 && lower <= 102 ? lower - 87 : -1;
};

/**
 * Decodes the chunked coding (RFC 9112, section 7.1) up to the trailer section, even if the bytes are split over
 * several reads. The decoder is strict: CR LF or an extension must directly follow the hexadecimal size. The decoder
 * skips extensions, and limits their total length.
 */
export class ChunkedDecoder {
  /** Whether the last chunk has come. Only the trailer section follows the last chunk. */
  hasLastChunk = false;
  fault: HttpFault | null = null;
  #state: number = inSize;
  #digits = 0;
  /**
   * While a size is being read, the value of the digits so far. After the size, the number of bytes that are left of
   * the chunk's content.
   */
  #left = 0;
  #extension = '';
  /** The number of extension bytes in the body so far. */
  #extensions = 0;

  begin(): void {
    this.hasLastChunk = false;
    this.#state = inSize;
    this.#digits = 0;
    this.#left = 0;
    this.#extensions = 0;
  }

  /**
   * Decodes bytes from `from` to `end`, but only up to the line of the last chunk, and returns the position after the
   * decoded bytes. The caller then checks `hasLastChunk` and `fault`. The contents of several chunks are moved together
   * within `bytes`, so the sink is called once. If a server sends many chunks together, a call for each chunk would
   * take longer than reading the chunks.
   */
  decode(bytes: Buffer, from: number, end: number, sink: ContentSink): number {
    let at = from;
    let start = -1;
    /** The position in `bytes` at which the content so far ends. */
    let stop = from;
    while (at < end && !this.hasLastChunk && this.fault === null) {
      if (this.#state !== inContent) {
        at = this.#framing(bytes, at, end);
        continue;
      }
      const to = Math.min(end, at + this.#left);
      this.#left -= to - at;
      if (this.#left === 0) this.#state = beforeContentCr;
      if (start < 0) [start, stop] = [at, to];
      else {
        bytes.copyWithin(stop, at, to);
        stop += to - at;
      }
      at = to;
    }
    if (start >= 0) sink.onContent(bytes, start, stop);
    return at;
  }

  /**
   * Reads at least one byte of the framing between the contents of two chunks, and returns the position after the bytes
   * that were read.
   */
  #framing(bytes: Buffer, from: number, end: number): number {
    let at = from;
    // The usual case, CR LF after a chunk's content, takes one step.
    if (
      this.#state === beforeContentCr &&
      end - at >= 2 &&
      bytes[at] === cr &&
      bytes[at + 1] === lf
    ) {
      this.#state = inSize;
      return at + 2;
    }
    while (at < end && this.#state === inSize && this.fault === null) {
      this.#size(bytes[at]!);
      at += 1;
    }
    if (at > from) return at;
    this.#step(bytes[at]!);
    return at + 1;
  }

  #step(byte: number): void {
    switch (this.#state) {
      case inExtension:
        return this.#extend(byte);
      case beforeSizeLf:
        return byte === lf
          ? this.#open()
          : this.#refuse('a chunk’s size line does not end in CR LF');
      case beforeContentCr:
        this.#state = beforeContentLf;
        if (byte !== cr) this.#refuse('a chunk does not end where its size says');
        return;
      default:
        this.#state = inSize;
        if (byte !== lf) this.#refuse('a chunk does not end in CR LF');
    }
  }

  #size(byte: number): void {
    const digit = digitOf(byte);
    if (digit >= 0) {
      this.#digits += 1;
      this.#left = this.#left * 16 + digit;
      if (this.#digits > maxSizeDigits) this.#refuse('a chunk’s size has too many digits');
    } else if (this.#digits === 0) this.#refuse('a chunk’s size is not a hexadecimal number');
    else if (byte === cr) this.#state = beforeSizeLf;
    else if (byte === semicolon) {
      this.#state = inExtension;
      this.#extension = ';';
    } else this.#refuse('a chunk’s size is followed by something other than CR LF or an extension');
  }

  #extend(byte: number): void {
    if (byte === cr) {
      this.#state = beforeSizeLf;
      if (!extensions.test(this.#extension)) this.#refuse('a chunk’s extension is malformed');
    } else if ((byte < 32 && byte !== tab) || byte === 127) {
      this.#refuse('a chunk’s extension contains a control character');
    } else {
      this.#extension += String.fromCharCode(byte);
      this.#extensions += 1;
      if (this.#extensions <= maxSectionBytes) return;
      const detail = `the chunks’ extensions are longer than ${maxSectionBytes} bytes`;
      this.fault = new HttpFault('too-large', detail);
    }
  }

  #open(): void {
    this.#digits = 0;
    if (this.#left === 0) this.hasLastChunk = true;
    else this.#state = inContent;
  }

  #refuse(detail: string): void {
    this.fault = new HttpFault('protocol', detail);
  }
}

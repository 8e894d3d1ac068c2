import type { AnswerNote } from '../../model/observation/outcome.ts';

/**
 * This file scans an audio container while its bytes arrive, without storing the bytes. The scan of a container is a
 * generator that requests a number of bytes to read or skip. The scanner takes these bytes from the reads of the
 * connection, so the boundaries between reads do not matter to a scan.
 */

export interface ScanRequest {
  readonly count: number;
  /**
   * Whether the scan needs the bytes themselves. A scan should request only few bytes in this way. Without `keep`, the
   * bytes are only counted.
   */
  readonly keep?: boolean;
  readonly audio?: boolean;
  /**
   * Ends the request early, at the first two adjacent bytes for which this function returns true. The first of these
   * two bytes may be the last byte before the request.
   */
  readonly until?: (first: number, second: number) => boolean;
}

/**
 * The result of a request. If the number of bytes is smaller than requested, the body has ended, and the scan must also
 * end.
 */
interface ScanBytes {
  /**
   * The requested bytes if the request has `keep`, or the two adjacent bytes that `until` found. The scan may store
   * these bytes.
   */
  readonly bytes: Buffer;
  readonly count: number;
}

export type ScanStep<T> = Generator<ScanRequest, T, ScanBytes>;

/** A scan of a whole container. A scan throws a `ScanFault` if the container is faulty. */
export type ContainerScan = (found: FoundAudio) => ScanStep<void>;

/**
 * The exception that ends a scan, with a reason. `container`: the structure is invalid. `truncated`: the file ends too
 * early. `silent`: the file is complete but contains no audio.
 */
export class ScanFault extends Error {
  readonly kind: 'container' | 'truncated' | 'silent';

  constructor(kind: ScanFault['kind'], detail: string) {
    super(detail);
    this.kind = kind;
  }
}

const nothing: Buffer = Buffer.alloc(0);

/** Requests bytes. Throws a `ScanFault` with `detail` if the file has fewer bytes left than requested. */
export function* wholeBytes(request: ScanRequest, detail: string): ScanStep<Buffer> {
  if (request.count === 0) return nothing;
  const { bytes, count } = yield request;
  if (count < request.count) throw new ScanFault('truncated', detail);
  return bytes;
}

export class FoundAudio {
  /** Whether the file contains bytes that belong to no part of the container. */
  hasJunk = false;
  /** The number of samples for each sample rate. */
  readonly #samples = new Map<number, number>();

  add(samples: number, sampleRate: number): void {
    this.#samples.set(sampleRate, (this.#samples.get(sampleRate) ?? 0) + samples);
  }

  get seconds(): number {
    return [...this.#samples].reduce((sum, [rate, samples]) => sum + samples / rate, 0);
  }
}

export interface ScanResult {
  /** The duration of the audio that was received, in seconds. */
  readonly seconds: number;
  readonly fault: { readonly kind: ScanFault['kind']; readonly detail: string } | null;
  readonly notes: readonly AnswerNote[];
}

export class Scanner {
  /** Whether a byte of audio was received. */
  hasAudio = false;
  readonly #found = new FoundAudio();
  readonly #steps: ScanStep<void>;
  #request: ScanRequest = { count: 0 };
  #kept = nothing;
  #count = 0;
  #last = -1;
  #result: ScanResult | null = null;

  constructor(scan: ContainerScan) {
    this.#steps = scan(this.#found);
    // The first step of the generator uses no bytes and yields the first request.
    this.#step();
  }

  /** Continues the scan with the bytes of one read. The bytes are valid only during the call. */
  feed(bytes: Uint8Array): void {
    let offset = 0;
    while (this.#result === null) {
      const { count, keep, audio, until } = this.#request;
      const room = Math.min(count - this.#count, bytes.length - offset);
      const taken = until ? this.#skipUntil(bytes.subarray(offset, offset + room), until) : room;
      if (taken > 0) {
        if (keep) this.#kept.set(bytes.subarray(offset, offset + taken), this.#count);
        if (audio) this.hasAudio = true;
        this.#count += taken;
        offset += taken;
        this.#last = bytes[offset - 1]!;
      }
      if (this.#count < count && !(until && this.#kept.length > 0)) return;
      this.#step();
    }
  }

  /** Ends the scan after the last bytes of the body, and returns its result. */
  end(): ScanResult {
    while (this.#result === null) this.#step();
    return this.#result;
  }

  /**
   * Skips bytes until two adjacent bytes for which `until` returns true. Stores these two bytes, and returns the number
   * of bytes up to their end. If the bytes contain no such pair, returns the number of all bytes.
   */
  #skipUntil(bytes: Uint8Array, until: NonNullable<ScanRequest['until']>): number {
    let first = this.#last;
    for (let at = 0; at < bytes.length; at += 1) {
      const second = bytes[at]!;
      if (until(first, second)) {
        this.#kept = Buffer.of(first, second);
        return at + 1;
      }
      first = second;
    }
    return bytes.length;
  }

  #step(): void {
    const bytes = this.#request.keep ? this.#kept.subarray(0, this.#count) : this.#kept;
    try {
      const { value, done } = this.#steps.next({ bytes, count: this.#count });
      if (done === true) {
        const { seconds, hasJunk } = this.#found;
        this.#result = { seconds, fault: null, notes: hasJunk ? ['junk'] : [] };
        return;
      }
      this.#request = value;
      this.#count = 0;
      this.#kept = value.keep ? Buffer.allocUnsafe(value.count) : nothing;
    } catch (error) {
      if (!(error instanceof ScanFault)) throw error;
      const fault = { kind: error.kind, detail: error.message };
      this.#result = { seconds: this.#found.seconds, fault, notes: [] };
    }
  }
}

/**
 * Reads a container as its bytes come, without keeping them. A container's scan is a generator
 * that demands a number of bytes to read or to skip; the scanner serves it from
 * the reads, so that a scan never sees where one read ends and the next starts.
 */

/** The next bytes that a scan demands. */
export interface ScanRequest {
  readonly count: number;
  /** Whether the scan needs their content; otherwise they are only counted. */
  readonly keep: boolean;
  /** Whether they are audio. */
  readonly audio: boolean;
  /** Ends the demand early, at the first two adjacent bytes for which this is true. */
  readonly until: BytePairTest | null;
}
/** A condition on two adjacent bytes. */
type BytePairTest = (first: number, second: number) => boolean;

/** What a demand returned: less than demanded once the body has ended, and then the scan must end too. */
export interface ScanBytes {
  /** The bytes if the scan needs them, or the two adjacent ones if they came; owned by the scan. */
  readonly bytes: Buffer;
  readonly count: number;
}

/** A tolerated oddity of a container. */
export type ScanNote = 'junk';

/** The result of scanning a container. */
export interface ScanResult {
  /** The audio in it, as far as it goes. */
  readonly seconds: number;
  /** `container`: the structure is invalid. `truncated`: it ends too early. `silent`: it is complete and has no audio. */
  readonly fault: {
    readonly kind: 'container' | 'truncated' | 'silent';
    readonly detail: string;
  } | null;
  readonly notes: readonly ScanNote[];
}
export type ScanFault = NonNullable<ScanResult['fault']>;

/** The result of a scan that met a fault after `seconds` of audio. */
export const faultyScan = (kind: ScanFault['kind'], detail: string, seconds = 0): ScanResult => ({
  seconds,
  fault: { kind, detail },
  notes: [],
});

/** A part of a scan with its result. */
export type ScanStep<T> = Generator<ScanRequest, T, ScanBytes>;
export type ContainerScan = ScanStep<ScanResult>;

/** Demands bytes to read; few, since they are buffered. */
export const takeBytes = (count: number, audio = false): ScanRequest => ({
  count,
  keep: true,
  audio,
  until: null,
});

/** Demands to skip bytes. */
export const skipBytes = (count: number, audio = false): ScanRequest => ({
  count,
  keep: false,
  audio,
  until: null,
});

/** Demands to skip at most `count` bytes, to the end of two adjacent ones; the first may be the last byte before. */
export const skipUntil = (count: number, until: BytePairTest): ScanRequest => ({
  ...skipBytes(count),
  until,
});

const nothing = Buffer.alloc(0);

/** Runs one container's scan on the reads of a body. */
export class Scanner {
  readonly #steps: ContainerScan;
  #request: ScanRequest;
  #kept = nothing;
  #count = 0;
  /** The last byte received. */
  #last = -1;
  #scan: ScanResult | null = null;
  #hasAudio = false;

  constructor(steps: ContainerScan) {
    this.#steps = steps;
    // The first step returns the first demand and takes no bytes.
    this.#request = skipBytes(0);
    this.#step();
  }

  /** Whether a byte of audio was received. */
  get hasAudio(): boolean {
    return this.#hasAudio;
  }

  /** Runs the scan on the bytes of one read, which are valid during the call only. */
  feed(bytes: Uint8Array): void {
    let offset = 0;
    while (this.#scan === null) {
      const { count, keep, audio, until } = this.#request;
      const room = Math.min(count - this.#count, bytes.length - offset);
      const taken =
        until === null ? room : this.#skipUntil(bytes.subarray(offset, offset + room), until);
      if (keep && taken > 0) this.#kept.set(bytes.subarray(offset, offset + taken), this.#count);
      if (audio && taken > 0) this.#hasAudio = true;
      this.#count += taken;
      offset += taken;
      if (taken > 0) this.#last = bytes[offset - 1]!;
      if (this.#count < count && !(until !== null && this.#kept.length > 0)) return;
      this.#step();
    }
  }

  /** Ends the scan with the bytes so far. */
  end(): ScanResult {
    while (this.#scan === null) this.#step();
    return this.#scan;
  }

  /** The bytes up to the end of the two adjacent ones, which are kept; all bytes if they are not there. */
  #skipUntil(bytes: Uint8Array, until: BytePairTest): number {
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
    const { keep } = this.#request;
    const { value, done } = this.#steps.next({
      bytes: keep ? this.#kept.subarray(0, this.#count) : this.#kept,
      count: this.#count,
    });
    this.#count = 0;
    if (done === true) {
      this.#scan = value;
      return;
    }
    this.#request = value;
    this.#kept = value.keep ? Buffer.allocUnsafe(value.count) : nothing;
  }
}

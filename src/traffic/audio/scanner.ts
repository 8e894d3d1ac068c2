/**
 * Reading a container as its bytes come, without keeping them. A container's scan is a generator
 * that asks for so many bytes to look at or so many to pass over; the scanner serves it out of
 * whatever reads there are, so that no scan ever sees where one read ends and the next begins.
 */

/** The next bytes that a scan asks for. */
export interface ScanRequest {
  readonly count: number;
  /** Whether they are to be looked at; otherwise they are only counted. */
  readonly keep: boolean;
  /** Whether they are audio proper. */
  readonly audio: boolean;
  /** Whether fewer are enough: those up to two neighbours of which this holds. */
  readonly until: BytePairTest | null;
}
/** A question to two neighbouring bytes. */
type BytePairTest = (first: number, second: number) => boolean;

/** What a demand brought: less than was asked once the body has ended, and then the scan has to end too. */
export interface ScanBytes {
  /** The bytes, if they were to be looked at; the two that were sought, if they came; the scan's own. */
  readonly bytes: Buffer;
  readonly count: number;
}

/** What is odd in a container and tolerated. */
export type ScanNote = 'junk';

/** What a container turned out to be. */
export interface ScanResult {
  /** The audio that is in it, as far as it goes. */
  readonly seconds: number;
  /** `container`: the structure does not hold. `truncated`: it ends too early. `silent`: it is whole and has no audio. */
  readonly fault: {
    readonly kind: 'container' | 'truncated' | 'silent';
    readonly detail: string;
  } | null;
  readonly notes: readonly ScanNote[];
}
export type ScanFault = NonNullable<ScanResult['fault']>;

/** A part of a scan, which gives what it found. */
export type ScanStep<T> = Generator<ScanRequest, T, ScanBytes>;
export type ContainerScan = ScanStep<ScanResult>;

/** A demand for bytes to look at; small, since they are gathered. */
export const takeBytes = (count: number, audio = false): ScanRequest => ({
  count,
  keep: true,
  audio,
  until: null,
});

/** A demand to pass over bytes. */
export const skipBytes = (count: number, audio = false): ScanRequest => ({
  count,
  keep: false,
  audio,
  until: null,
});

/** A demand to pass over bytes, so many at most, to the end of two neighbours; the first may be the last byte before. */
export const skipUntil = (count: number, until: BytePairTest): ScanRequest => ({
  ...skipBytes(count),
  until,
});

const nothing = Buffer.alloc(0);

/** Serves one container's scan from reads. */
export class Scanner {
  readonly #steps: ContainerScan;
  #request: ScanRequest;
  #kept = nothing;
  #count = 0;
  /** The last byte of all that came; none at first. */
  #last = -1;
  #scan: ScanResult | null = null;
  #hasAudio = false;

  constructor(steps: ContainerScan) {
    this.#steps = steps;
    // The first step brings the first demand; there is nothing yet that it could be given.
    this.#request = skipBytes(0);
    this.#step();
  }

  /** Whether a byte of audio has come. */
  get hasAudio(): boolean {
    return this.#hasAudio;
  }

  /** Shows the bytes of one read; they are valid during the call only. */
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

  /** What the bytes so far are, if nothing more comes. Ends the scan. */
  end(): ScanResult {
    while (this.#scan === null) this.#step();
    return this.#scan;
  }

  /** How many bytes there are to the end of the two that are sought, which are kept; all if they are not there. */
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

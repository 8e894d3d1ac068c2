import type { Instant } from '../../model/quantity.ts';

/** What reads are delivered to. */
export interface ReadReceiver {
  /** How many reads of it wait. */
  waitingReads: number;
  /** Called with the instant of a read and its bytes, from `begin` to `end`, valid during the call only. */
  received(at: Instant, bytes: Buffer, begin: number, end: number): void;
}

/** What may wait, in bytes and in reads; more is delivered at once. */
const capacity = 256 * 1024;
const mostReads = 2048;
/** Longer reads are delivered at once, in bytes: to copy them costs more than others lose by waiting. */
const longestCopy = 4096;

/**
 * Reads that are delivered after all others of their turn of the event loop: where many connections have something to
 * read, each gets its instant before any answer is parsed. The reads of one connection keep their order.
 */
export class ReadQueue {
  readonly #bytes = Buffer.allocUnsafeSlow(capacity);
  readonly #receivers: (ReadReceiver | null)[] = [];
  readonly #instants: Instant[] = [];
  readonly #ends: number[] = [];
  readonly #afterReads: (work: () => void) => void;
  #isAwaited = false;

  constructor(afterReads: (work: () => void) => void) {
    this.#afterReads = afterReads;
  }

  /** Delivers the first `length` of `bytes` after the reads of this turn. */
  add(receiver: ReadReceiver, at: Instant, bytes: Buffer, length: number): void {
    if (length > longestCopy) {
      this.deliverTo(receiver);
      return receiver.received(at, bytes, 0, length);
    }
    const begin = this.#ends.at(-1) ?? 0;
    if (begin + length > capacity || this.#ends.length === mostReads) {
      this.#deliverAll();
      return this.add(receiver, at, bytes, length);
    }
    bytes.copy(this.#bytes, begin, 0, length);
    this.#receivers.push(receiver);
    this.#instants.push(at);
    this.#ends.push(begin + length);
    receiver.waitingReads += 1;
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#afterReads(this.#onTurn);
  }

  /** Delivers what waits for one connection. */
  deliverTo(receiver: ReadReceiver): void {
    for (let i = 0; receiver.waitingReads > 0 && i < this.#receivers.length; i += 1)
      if (this.#receivers[i] === receiver) this.#deliver(i);
  }

  readonly #onTurn = (): void => {
    this.#isAwaited = false;
    this.#deliverAll();
  };

  #deliverAll(): void {
    for (let i = 0; i < this.#receivers.length; i += 1) this.#deliver(i);
    this.#receivers.length = 0;
    this.#instants.length = 0;
    this.#ends.length = 0;
  }

  #deliver(place: number): void {
    const receiver = this.#receivers[place] ?? null;
    if (receiver === null) return;
    this.#receivers[place] = null;
    receiver.waitingReads -= 1;
    const begin = place === 0 ? 0 : this.#ends[place - 1]!;
    receiver.received(this.#instants[place]!, this.#bytes, begin, this.#ends[place]!);
  }
}

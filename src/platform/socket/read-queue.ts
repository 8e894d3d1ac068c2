import type { Instant } from '../../model/quantity.ts';
import type { RunClock } from '../host/clock.ts';

export interface ReadReceiver {
  /** The number of this receiver's reads that wait in the queue. */
  waitingReads: number;
  /**
   * Called with the instant of a read, and with the read bytes: the part of `bytes` from `begin` to `end`, which is
   * valid only during the call.
   */
  received(at: Instant, bytes: Buffer, begin: number, end: number): void;
}

/** The size of a block of waiting reads in bytes. Empty blocks are used again. */
const blockSize = 64 * 1024;
const mostBlocks = 64;
/**
 * The maximum size of a queued read, in bytes. A longer read is delivered at once, since copying a longer read would
 * take longer than the delay that the queue avoids.
 */
const longestCopy = 4096;

/**
 * One turn of the event loop delivers reads for at most this long, in ms. `shareOfWait` allows more if reads have
 * waited for long.
 */
const longestTurn = 0.1;
/**
 * One turn delivers reads for at most `longestTurn`, or for this share of the time that the oldest read has waited,
 * whichever is longer. With a fixed maximum, a busy event loop would fall further and further behind.
 */
const shareOfWait = 0.1;

/** Holds data that was read from sockets and not yet delivered, in order of arrival. */
class Block {
  readonly bytes = Buffer.allocUnsafeSlow(blockSize);
  /** The receiver of each read; `null` once the read has been delivered. */
  readonly receivers: (ReadReceiver | null)[] = [];
  readonly instants: Instant[] = [];
  readonly ends: number[] = [];
  /** The index of the first read that may still be waiting. */
  next = 0;

  get hasWaiting(): boolean {
    return this.next < this.receivers.length;
  }

  add(receiver: ReadReceiver, at: Instant, bytes: Buffer, length: number): boolean {
    const begin = this.ends.at(-1) ?? 0;
    if (begin + length > blockSize) return false;
    bytes.copy(this.bytes, begin, 0, length);
    this.receivers.push(receiver);
    this.instants.push(at);
    this.ends.push(begin + length);
    return true;
  }

  deliver(place: number): void {
    const receiver = this.receivers[place] ?? null;
    if (receiver === null) return;
    this.receivers[place] = null;
    receiver.waitingReads -= 1;
    const begin = place === 0 ? 0 : this.ends[place - 1]!;
    receiver.received(this.instants[place]!, this.bytes, begin, this.ends[place]!);
  }

  deliverNext(): void {
    this.next += 1;
    this.deliver(this.next - 1);
  }

  clear(): void {
    this.receivers.length = 0;
    this.instants.length = 0;
    this.ends.length = 0;
    this.next = 0;
  }
}

/**
 * Delivers the reads of a turn of the event loop after this turn has read all sockets, and only a few reads at a time.
 * So each read gets its instant before any answer is parsed, even if many connections have data. The reads of one
 * connection keep their order.
 */
export class ReadQueue {
  readonly #clock: Pick<RunClock, 'now' | 'afterReads'>;
  /** The blocks, beginning with the oldest. There is always at least one block. */
  readonly #blocks = [new Block()];
  readonly #free: Block[] = [];
  #isAwaited = false;

  constructor(clock: Pick<RunClock, 'now' | 'afterReads'>) {
    this.#clock = clock;
  }

  /**
   * Adds the first `length` bytes of `bytes` to the queue, for delivery after all reads of this turn, or in a later
   * turn. A read of more than `longestCopy` bytes is delivered at once.
   */
  add(receiver: ReadReceiver, at: Instant, bytes: Buffer, length: number): void {
    if (length > longestCopy) {
      this.deliverTo(receiver);
      return receiver.received(at, bytes, 0, length);
    }
    while (!this.#blocks.at(-1)!.add(receiver, at, bytes, length)) this.#addBlock();
    receiver.waitingReads += 1;
    this.#awaitTurn();
  }

  deliverTo(receiver: ReadReceiver): void {
    for (const block of this.#blocks) {
      for (let i = block.next; receiver.waitingReads > 0 && i < block.receivers.length; i += 1)
        if (block.receivers[i] === receiver) block.deliver(i);
    }
  }

  #addBlock(): void {
    const oldest = this.#blocks[0]!;
    while (this.#blocks.length === mostBlocks && oldest.hasWaiting) oldest.deliverNext();
    this.#dropEmpty();
    this.#blocks.push(this.#free.pop() ?? new Block());
  }

  /** Removes empty blocks except the last block. */
  #dropEmpty(): void {
    while (!this.#blocks[0]!.hasWaiting) {
      const empty = this.#blocks[0]!;
      empty.clear();
      if (this.#blocks.length === 1) return;
      this.#blocks.shift();
      this.#free.push(empty);
    }
  }

  #awaitTurn(): void {
    if (this.#isAwaited) return;
    this.#isAwaited = true;
    this.#clock.afterReads(this.#deliverSome);
  }

  readonly #deliverSome = (): void => {
    this.#isAwaited = false;
    const begun = this.#clock.now();
    const { instants, next } = this.#blocks[0]!;
    const waited = begun - (instants[next] ?? begun);
    const until = begun + Math.max(longestTurn, shareOfWait * waited);
    do {
      this.#blocks[0]!.deliverNext();
      this.#dropEmpty();
    } while (this.#blocks[0]!.hasWaiting && this.#clock.now() < until);
    if (this.#blocks[0]!.hasWaiting) this.#awaitTurn();
  };
}

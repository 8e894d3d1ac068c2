import type { Clock } from '../../model/clock.ts';
import type { OpenSocket } from './open-socket.ts';
import { RequestWriter } from './request-writer.ts';
import { type Exchanger, type Outgoing, SocketLine } from './socket-line.ts';

/** All connections to one target, idle ones last in, first out. */
export class SocketLines {
  readonly #clock: Clock;
  readonly #common: Exchanger;
  readonly #idle: SocketLine[] = [];
  readonly #all = new Set<SocketLine>();
  #closed = false;
  #allGone: () => void = () => undefined;

  constructor(open: OpenSocket, clock: Clock) {
    this.#clock = clock;
    this.#common = {
      clock,
      open,
      writer: new RequestWriter(),
      rests: (line) => void this.#idle.push(line),
      discard: (line) => this.#discard(line),
      gone: (line) => this.#gone(line),
    };
  }

  /** Sends on the most recently used idle line, or on a new one. */
  send(outgoing: Outgoing): void {
    if (this.#closed) return outgoing.exchange.abort('aborted', 'the transport is closed');
    const now = this.#clock.now();
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) {
      if (line.isOpen && line.idleUntil > now) return line.begin(outgoing, now);
      line.destroy();
    }
    this.#all.add(new SocketLine(this.#common, outgoing));
  }

  /** Destroys every connection and waits until they are gone. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#all.size === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#allGone = resolve;
    for (const line of this.#all) line.close();
    await promise;
  }

  #discard(line: SocketLine): void {
    const at = this.#idle.lastIndexOf(line);
    if (at >= 0) this.#idle.splice(at, 1);
    line.destroy();
  }

  #gone(line: SocketLine): void {
    this.#all.delete(line);
    if (this.#all.size === 0) this.#allGone();
  }
}

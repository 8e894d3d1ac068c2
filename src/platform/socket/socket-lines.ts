import type { Clock } from '../../model/clock.ts';
import { instant } from '../../model/quantity.ts';
import type { OpenSocket } from './open-socket.ts';
import { RequestWriter } from './request-writer.ts';
import { type Exchanger, type Outgoing, SocketLine } from './socket-line.ts';

/** Idle connections are kept this long unless the server's keep-alive hint says less. */
const keepAlive = 600_000;

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
      rests: (line, reusableFor) => this.#keep(line, reusableFor),
      discard: (line) => this.#discard(line),
      gone: (line) => this.#gone(line),
    };
  }

  /** Sends on the most recently used idle line, or on a new one. */
  send(outgoing: Outgoing): void {
    if (this.#closed) return outgoing.exchange.abort('aborted', 'the transport is closed');
    for (let line = this.#idle.pop(); line !== undefined; line = this.#idle.pop()) {
      if (line.isOpen && line.idleUntil > this.#clock.now()) return line.begin(outgoing);
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

  #keep(line: SocketLine, reusableFor: number): void {
    line.idleUntil = instant(this.#clock.now() + Math.min(reusableFor, keepAlive));
    this.#idle.push(line);
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

import type { Socket } from 'node:net';
import type { Clock } from '../../model/clock.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { GiveUp } from '../connector.ts';
import { Deframer } from './deframer.ts';
import { Fault } from './fault.ts';
import type { OpenSocket, SocketEvents } from './open-socket.ts';
import type { RequestWriter } from './request-writer.ts';
import type { Seat, SocketExchange } from './socket-exchange.ts';

/** Idle connections are kept this long unless the server's keep-alive hint says less. */
const keepAlive = 600_000;

/** A request ready to be written. */
export interface Outgoing {
  readonly exchange: SocketExchange;
  readonly head: string;
  readonly body: Uint8Array | null;
  /** Whether the request asks for the connection to be closed after it. */
  readonly closes: boolean;
}

/** What all lines of a transport have in common. */
export interface Exchanger {
  readonly clock: Clock;
  readonly open: OpenSocket;
  readonly writer: RequestWriter;
  /** It has no exchange any more and may be taken again until it is discarded. */
  readonly rests: (line: SocketLine) => void;
  /** An idle line is of no use any more. */
  readonly discard: (line: SocketLine) => void;
  /** Its socket is gone. */
  readonly gone: (line: SocketLine) => void;
}

/** One connection, and the exchange on it. */
export class SocketLine implements SocketEvents, Seat {
  /** Until when it may be taken while it is idle. */
  idleUntil: Instant = instant(0);
  readonly #common: Exchanger;
  readonly #deframer = new Deframer();
  readonly #giveUp: GiveUp;
  #socket: Socket | null = null;
  /** `null` while it rests. */
  #exchange: SocketExchange | null = null;
  /** Until it is written: whole streams long it would only take memory. */
  #unsent: Outgoing | null = null;
  /** Whether its request asked for the connection to be closed after it. */
  #closes = false;

  /** Connects for its first exchange. */
  constructor(common: Exchanger, outgoing: Outgoing) {
    this.#common = common;
    this.#take(outgoing);
    this.#giveUp = common.open(this);
  }

  /** Whether its socket is still open, as far as this process knows. */
  get isOpen(): boolean {
    return this.#socket?.writable === true;
  }

  /** Sends a further request, now. */
  begin(outgoing: Outgoing, now: Instant): void {
    this.#take(outgoing);
    outgoing.exchange.connected(now, 'reused');
    this.#send(now);
  }

  /** Its exchange has ended. */
  release(reusableFor: number): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#unsent = null;
    if (exchange === null || reusableFor <= 0) return this.destroy();
    this.idleUntil = instant(exchange.readAt + Math.min(reusableFor, keepAlive));
    this.#common.rests(this);
  }

  destroy(): void {
    this.#giveUp();
  }

  /** Ends its exchange too. */
  close(): void {
    this.#exchange?.abort('aborted', 'the transport was closed');
    this.destroy();
  }

  opened(socket: Socket): void {
    const now = this.#common.clock.now();
    this.#socket = socket;
    this.#exchange?.connected(now, 'new');
    this.#send(now);
  }

  read(bytes: Buffer, length: number): void {
    const at = this.#common.clock.now();
    const exchange = this.#exchange;
    if (exchange === null) return this.#common.discard(this);
    exchange.readAt = at;
    const reading = this.#deframer.read(bytes, length);
    if (reading === 'more' || exchange.over) return;
    if (reading === 'complete') exchange.complete(this.#reusableFor());
    else exchange.refuse(reading, true);
  }

  ended(): void {
    // Before it is opened an error follows.
    if (this.#socket === null) return;
    const exchange = this.#exchange;
    if (exchange === null) return this.#common.discard(this);
    exchange.readAt = this.#common.clock.now();
    const reading = this.#deframer.closed();
    if (reading === 'complete') exchange.complete(0);
    else if (reading !== 'more') exchange.refuse(reading, this.#deframer.heard);
  }

  failed(error: Error): void {
    this.#exchange?.broke(error, this.#deframer.heard);
  }

  closed(): void {
    const fault = new Fault('closed-early', 'the connection was closed');
    this.#exchange?.refuse(fault, this.#deframer.heard);
    this.#common.gone(this);
  }

  #take(outgoing: Outgoing): void {
    this.#exchange = outgoing.exchange;
    this.#unsent = outgoing;
    this.#closes = outgoing.closes;
    outgoing.exchange.sitOn(this);
  }

  #send(now: Instant): void {
    const unsent = this.#unsent;
    if (unsent === null || this.#socket === null) return;
    this.#unsent = null;
    const { exchange, head, body } = unsent;
    this.#deframer.expect(exchange);
    exchange.sent(now);
    if (!exchange.over) this.#common.writer.write(this.#socket, head, body);
  }

  /** Of a complete response. A server that answers before it has the whole request may not want the rest. */
  #reusableFor(): number {
    const isUnsent = this.#socket === null || this.#socket.writableLength > 0;
    return this.#closes || isUnsent ? 0 : this.#deframer.reusableFor;
  }
}

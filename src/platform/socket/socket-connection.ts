import type { Socket } from 'node:net';
import type { Clock } from '../../model/clock.ts';
import type { ConnectionOrigin } from '../../model/observation/exchange.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { RunClock } from '../host/clock.ts';
import type { CancelConnect } from '../connection/connector.ts';
import type { KeptConnection } from '../connection/kept-connections.ts';
import { ObservedExchange } from '../connection/observed-exchange.ts';
import {
  cutShort,
  hasUnwritten,
  keepWritable,
  lookForRefusal,
} from '../connection/refused-request.ts';
import { HttpFault } from './response-head.ts';
import type { OpenSocket, SocketEvents } from './open-socket.ts';
import type { ReadQueue, ReadReceiver } from './read-queue.ts';
import type { RequestWriter } from './request-head.ts';
import { ResponseParser, type ResponseSink } from './response-parser.ts';

export interface ExchangeOwner {
  /** Called when the exchange has ended. The connection can be used again for `reusableFor` ms. */
  release(reusableFor: number): void;
  /** Called to send the request again on another connection. */
  giveBack(): void;
  catchUp(): void;
  hasUnwritten(): boolean;
}

/** Translates the connection's events into calls of the exchange's observer. */
export class SocketExchange extends ObservedExchange implements ResponseSink {
  readAt: Instant = instant(0);
  owner: ExchangeOwner | null = null;

  onHead(status: number, headers: Readonly<Record<string, string>>): void {
    if (!this.isFinished)
      this.notify((observer) => observer.onHeaders(this.readAt, status, headers));
  }

  onContent(bytes: Buffer, from: number, to: number): void {
    this.notifyChunk(this.readAt, bytes.subarray(from, to));
  }

  /** Handles a response that cannot be read further. `hasResponse` says whether a byte of the response was received. */
  onFault({ cause, detail }: HttpFault, hasResponse: boolean): void {
    if (cause !== 'closed-early') return this.abort(cause, detail);
    const code = 'ERR_STREAM_PREMATURE_CLOSE';
    this.fail(Object.assign(new Error(detail), { code }), hasResponse, detail);
  }

  catchUp(): void {
    this.owner?.catchUp();
  }

  hasUnwritten(): boolean {
    return this.owner?.hasUnwritten() === true;
  }

  protected override release(reusableFor: number): void {
    this.owner?.release(reusableFor);
  }

  protected override resend(): void {
    this.owner?.giveBack();
  }
}

/**
 * An idle connection is kept for at most this long, in ms, or for the time in the server's keep-alive hint if that is
 * shorter.
 */
const keepAlive = 600_000;

export interface OutgoingRequest {
  readonly exchange: SocketExchange;
  readonly head: string;
  readonly body: Uint8Array | null;
  /** Whether the request asks the server to close the connection after its answer. */
  readonly closes: boolean;
}

export interface ConnectionContext {
  readonly clock: Pick<RunClock, keyof Clock | 'ringIfLate'>;
  readonly open: OpenSocket;
  readonly writer: RequestWriter;
  readonly reads: ReadQueue;
  onIdle(connection: SocketConnection): void;
  /** Called when an answer begins on a connection that earlier requests have used. */
  onReused(connection: SocketConnection): void;
  /** Called when a connection that no request has taken is open. */
  onOpenedAhead(connection: SocketConnection): void;
  /**
   * Called when the server has ended a kept connection. The next request may already be on its way on this connection.
   */
  onEnded(connection: SocketConnection, at: Instant): void;
  resend(outgoing: OutgoingRequest): void;
  onClosed(connection: SocketConnection): void;
}

export class SocketConnection implements SocketEvents, ExchangeOwner, ReadReceiver, KeptConnection {
  /** Until when the connection can be used for another request. */
  idleUntil: Instant = instant(0);
  readonly #context: ConnectionContext;
  readonly #parser = new ResponseParser();
  readonly #cancelConnect: CancelConnect;
  #socket: Socket | null = null;
  answers = 0;
  isChunked = false;
  answeredAt: Instant = instant(0);
  waitingReads = 0;
  /** The exchange on the connection; `null` while the connection is idle. */
  #exchange: SocketExchange | null = null;
  /** The request; `null` as soon as the request can no longer be sent again. This saves memory during long streams. */
  #outgoing: OutgoingRequest | null = null;
  #isUnsent = false;
  /** When the connection began to open (`performance.now()`). `#openedIn` is the time that opening took, in ms. */
  readonly #begun: number;
  #openedIn = 0;
  /** Whether this process knows that the server has ended the connection. */
  #hasEnded = false;
  #endLook: () => void = () => undefined;
  #closes = false;
  /** The origin of the connection, which the next request will report. */
  #origin: ConnectionOrigin;

  /**
   * Opens the connection for its first exchange. Without `outgoing`, opens the connection in advance, before an
   * exchange needs it.
   */
  constructor(context: ConnectionContext, outgoing: OutgoingRequest | null) {
    this.#context = context;
    this.#origin = outgoing === null ? 'ahead' : 'new';
    this.#begun = performance.now();
    if (outgoing !== null) this.#assign(outgoing);
    this.#cancelConnect = context.open(this);
  }

  get isOpen(): boolean {
    return this.#socket?.writable === true;
  }

  begin(outgoing: OutgoingRequest, now: Instant): void {
    this.#assign(outgoing);
    if (this.#socket === null) {
      // The request will be written when the connection is open.
      this.#origin = 'new';
      return;
    }
    outgoing.exchange.connected(now, this.#origin);
    this.#send(now);
  }

  release(reusableFor: number): void {
    const exchange = this.#exchange;
    this.#exchange = null;
    this.#outgoing = null;
    if (exchange === null || reusableFor <= 0) return this.destroy();
    this.#origin = 'reused';
    this.answers += 1;
    this.isChunked = this.#parser.isChunked;
    this.answeredAt = exchange.readAt;
    this.idleUntil = instant(exchange.readAt + Math.min(reusableFor, keepAlive));
    this.#context.onIdle(this);
  }

  giveBack(): void {
    const outgoing = this.#outgoing;
    this.#exchange = null;
    this.#outgoing = null;
    this.destroy();
    if (outgoing !== null) this.#context.resend(outgoing);
  }

  hasUnwritten(): boolean {
    return this.#socket !== null && this.#socket.writableLength > 0;
  }

  catchUp(): void {
    this.#context.reads.deliverTo(this);
  }

  destroy(): void {
    this.#endLook();
    this.#cancelConnect();
  }

  close(): void {
    this.#exchange?.abort('aborted', 'the transport was closed');
    this.destroy();
  }

  opened(socket: Socket): void {
    const now = this.#context.clock.read();
    this.#openedIn = performance.now() - this.#begun;
    this.#socket = socket;
    keepWritable(socket);
    if (this.#exchange === null) return this.#context.onOpenedAhead(this);
    this.#exchange.connected(now, this.#origin);
    this.#send(now);
  }

  read(bytes: Buffer, length: number): void {
    const { clock, reads } = this.#context;
    const at = clock.read();
    reads.add(this, at, bytes, length);
    clock.ringIfLate(at);
  }

  received(at: Instant, bytes: Buffer, begin: number, end: number): void {
    const exchange = this.#exchange;
    // No request asked for the received bytes, so the connection is not used again.
    if (exchange === null) return this.destroy();
    exchange.readAt = at;
    if (this.#outgoing !== null) this.#onFirstByte();
    const status = this.#parser.read(bytes, end, begin);
    if (status === 'more' || exchange.isFinished) return;
    if (status === 'complete') exchange.complete(at, this.#reusableFor());
    else exchange.onFault(status, true);
  }

  ended(): void {
    // The connection is not open yet. An error event will follow, and `failed` will handle the error.
    if (this.#socket === null) return;
    const at = this.#context.clock.read();
    this.catchUp();
    const exchange = this.#exchange;
    if (exchange === null) {
      this.#noteEnd(at);
      return this.destroy();
    }
    exchange.readAt = at;
    const { hasReceived } = this.#parser;
    if (!exchange.mayMove(hasReceived)) return this.#finishEnded(exchange);
    this.#noteEnd(at);
    if (hasUnwritten(this.#socket)) return exchange.fail(cutShort(), hasReceived);
    this.#endLook = lookForRefusal(this.#socket, this.#openedIn, () => this.#finishEnded(exchange));
  }

  failed(error: Error): void {
    this.catchUp();
    const { hasReceived } = this.#parser;
    const exchange = this.#exchange;
    const isIdle = exchange === null && this.#socket !== null;
    if (isIdle || exchange?.mayMove(hasReceived) === true) this.#noteEnd(this.#context.clock.now());
    exchange?.fail(error, hasReceived);
  }

  closed(): void {
    const fault = new HttpFault('closed-early', 'the connection was closed');
    this.#exchange?.onFault(fault, this.#parser.hasReceived);
    this.#context.onClosed(this);
  }

  #assign(outgoing: OutgoingRequest): void {
    this.#exchange = outgoing.exchange;
    this.#outgoing = outgoing;
    this.#isUnsent = true;
    this.#closes = outgoing.closes;
    outgoing.exchange.owner = this;
  }

  #send(now: Instant): void {
    const outgoing = this.#outgoing;
    if (outgoing === null || !this.#isUnsent || this.#socket === null) return;
    this.#isUnsent = false;
    if (this.#origin === 'new') this.#outgoing = null;
    const { exchange, head, body } = outgoing;
    this.#parser.expectResponse(exchange);
    exchange.sent(now);
    if (!exchange.isFinished) this.#context.writer.write(this.#socket, head, body);
  }

  /** Records the first byte of an answer. After the first byte, the request is not sent again. */
  #onFirstByte(): void {
    this.#outgoing = null;
    if (this.#origin === 'reused') this.#context.onReused(this);
  }

  #noteEnd(at: Instant): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#context.onEnded(this, at);
  }

  #finishEnded(exchange: SocketExchange): void {
    const status = this.#parser.closed();
    if (status === 'complete') exchange.complete(exchange.readAt, 0);
    else if (status !== 'more') exchange.onFault(status, this.#parser.hasReceived);
  }

  /**
   * Returns how long the connection can be reused, in ms. If the server answered before the whole request was sent, the
   * server may never read the rest of the request, so the connection is not reused.
   */
  #reusableFor(): number {
    const isUnsent = this.#socket === null || this.#socket.writableLength > 0;
    return this.#closes || isUnsent ? 0 : this.#parser.reusableFor;
  }
}

import type { Socket } from 'node:net';
import type { buildConnector, Client } from 'undici';
import { undici } from '../undici.ts';
import type { Clock } from '../../model/clock.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import type { OpenConnection } from '../connection/connector.ts';
import type { ObservedExchange } from '../connection/observed-exchange.ts';
import type { KeptConnection } from '../connection/kept-connections.ts';
import { hasUnwritten, keepWritable, lookForRefusal } from '../connection/refused-request.ts';
import { countReadBytes } from '../host/clean-heap.ts';

/** An idle connection is kept for at most this many ms. A shorter keep-alive hint of the server takes precedence. */
const keepAlive = 600_000;

/** Options that turn off undici's own timeouts. The default timeout of 300 s would abort slow answers. */
const clientOptions = {
  headersTimeout: 0,
  bodyTimeout: 0,
  keepAliveTimeout: keepAlive,
  keepAliveMaxTimeout: keepAlive,
  pipelining: 1,
} as const;

type ConnectionUser = Pick<ObservedExchange, 'connecting' | 'connected' | 'mayMove'>;

export interface UndiciContext {
  readonly origin: string;
  readonly http2: boolean;
  readonly clock: Clock;
  readonly connect: OpenConnection;
  /**
   * Called when the server has ended a kept connection. The next request may already be on its way on this connection.
   */
  onEnded(connection: UndiciConnection, at: Instant): void;
  onClosed(connection: UndiciConnection): void;
}

/**
 * Delays undici's destruction of a socket. undici destroys a socket as soon as the server has sent its end (FIN). This
 * function delays the destruction until a refusal (RST) has come or is no longer expected (see `lookForRefusal`). If a
 * refusal comes, undici therefore reports the error of the refusal.
 */
const destroyAfterLook = (socket: Socket, openedIn: number): void => {
  let cause: Error | undefined;
  socket.destroy = (error) => {
    cause = error;
    return socket;
  };
  queueMicrotask(() => {
    Reflect.deleteProperty(socket, 'destroy');
    const endLook = lookForRefusal(socket, openedIn, () => void socket.destroy(cause));
    socket.once('close', endLook);
  });
};

/** One connection with its own undici client. undici's pool would hide how long requests wait for a connection. */
export class UndiciConnection implements KeptConnection {
  readonly client: Client;
  #socket: Socket | null = null;
  /**
   * The instant of the latest read from the socket; `null` before the first read. Under HTTP/2 this field is always
   * `null`, since undici hides the reads of HTTP/2.
   */
  readAt: Instant | null = null;
  /** Whether a byte was received since the latest request was sent. */
  hasReceived = false;
  /** Whether a part of the request was still in this process when the server ended the connection. */
  isCutShort = false;
  answers = 0;
  isChunked = false;
  answeredAt: Instant = instant(0);
  idleUntil: Instant = instant(0);
  /** The connection can carry at most this many answers, as its first answer announced. */
  #maxAnswers = Number.POSITIVE_INFINITY;
  /** The exchange on the connection; `null` while the connection is idle. */
  #user: ConnectionUser | null = null;
  #hasEnded = false;
  /** Cancels an attempt to connect. undici does not cancel the attempt when its client is destroyed. */
  #cancelConnect: () => void = () => undefined;
  readonly #context: UndiciContext;

  constructor(context: UndiciContext) {
    this.#context = context;
    const { origin, http2 } = context;
    const connect: buildConnector.connector = (options, callback) =>
      this.#connect(options, callback);
    this.client = new (undici().Client)(origin, { ...clientOptions, connect, allowH2: http2 });
    // Without this listener, undici would reopen an idle connection that the server has closed.
    this.client.on('disconnect', () => {
      if (this.#user === null) context.onClosed(this);
    });
  }

  get isOpen(): boolean {
    return !this.#hasEnded && !this.client.destroyed;
  }

  /** Whether a part of the request is still in this process. */
  get hasUnwritten(): boolean {
    return this.#socket !== null && this.#socket.writableLength > 0;
  }

  assign(user: ConnectionUser): void {
    this.#user = user;
    this.hasReceived = false;
  }

  /**
   * Records that the answer is complete or that the exchange has ended. The connection can be reused for `reusableFor`
   * ms. The `maxAnswers` of the first answer limits the total number of answers on the connection.
   */
  answered(reusableFor: number, maxAnswers: number, isChunked: boolean): void {
    this.#user = null;
    this.answers += 1;
    this.isChunked = isChunked;
    if (this.answers === 1) this.#maxAnswers = maxAnswers;
    this.answeredAt = this.#context.clock.now();
    const usableFor = this.answers >= this.#maxAnswers || maxAnswers === 0 ? 0 : reusableFor;
    this.idleUntil = instant(this.answeredAt + Math.min(usableFor, keepAlive));
  }

  destroy(): void {
    void this.close();
  }

  /**
   * Destroys the connection and waits until undici has closed it. If an exchange uses the connection, this exchange
   * fails.
   */
  close(): Promise<void> {
    this.#hasEnded = true;
    const destroyed = this.client.destroy().catch(() => undefined);
    // The client is destroyed first. Otherwise, the client would treat the cancelled attempt as a failure and connect
    // again.
    this.#cancelConnect();
    return destroyed;
  }

  #connect(options: buildConnector.Options, callback: buildConnector.Callback): void {
    this.#user?.connecting();
    const { clock, connect } = this.#context;
    const begun = clock.now();
    this.#cancelConnect = connect(options, (...[error, socket]) => {
      if (error !== null) return callback(error, null);
      const at = clock.read();
      this.#socket = socket;
      this.answers = 0;
      this.#hasEnded = false;
      const isHttp2 = 'alpnProtocol' in socket && socket.alpnProtocol === 'h2';
      if (!isHttp2) this.#listen(socket, at - begun);
      this.#user?.connected(at, 'new');
      callback(null, socket);
    });
  }

  #listen(socket: Socket, openedIn: number): void {
    keepWritable(socket);
    socket.prependListener('readable', () => {
      countReadBytes(socket.readableLength);
      this.readAt = this.#context.clock.read();
      // The event `readable` also comes at the end of the stream, when there is nothing to read.
      if (socket.readableLength > 0) this.hasReceived = true;
    });
    socket.prependListener('end', () => this.#onEnd(socket, openedIn));
    socket.prependListener('error', () => this.#noteEnd());
  }

  #onEnd(socket: Socket, openedIn: number): void {
    const mayMove = this.#user?.mayMove(this.hasReceived) === true;
    this.#noteEnd();
    if (!mayMove) return;
    if (hasUnwritten(socket)) this.isCutShort = true;
    else destroyAfterLook(socket, openedIn);
  }

  #noteEnd(): void {
    // An end during an answer is not recorded here, since the connection was not idle.
    if (this.#hasEnded || (this.#user !== null && this.hasReceived)) return;
    this.#hasEnded = true;
    this.#context.onEnded(this, this.#context.clock.now());
  }
}

import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import type { Clock } from '../../model/clock.ts';
import { type Instant, instant } from '../../model/quantity.ts';
import {
  cutShort,
  hasUnwritten,
  keepWritable,
  lookForRefusal,
} from '../connection/refused-request.ts';
import type { AnsweredConnection, ReuseRule } from '../connection/reuse-rule.ts';
import { intoSharedBuffer } from '../socket/open-socket.ts';

export interface SaturatingContext {
  readonly clock: Clock;
  readonly rule: ReuseRule;
  /** The path of the Unix socket; `null` for TCP. */
  readonly socketPath: string | null;
  readonly tlsOptions: tls.ConnectionOptions;
}

interface SocketAddress {
  readonly protocol: string;
  readonly hostname: string;
  readonly port: number;
}

interface SocketHandlers {
  /** Called with bytes that were received. The bytes are valid only during the call. */
  read(bytes: Buffer, length: number): void;
  onError(error: Error): void;
  onEnd(): void;
}

/** Opens a socket as autocannon does. Unlike autocannon's sockets, all sockets read into one shared buffer. */
const openSocket = (
  { protocol, hostname: host, port }: SocketAddress,
  { socketPath, tlsOptions }: SaturatingContext,
  handlers: SocketHandlers,
): Socket => {
  const place = socketPath === null ? { host, port } : { path: socketPath };
  const options = { ...place, onread: intoSharedBuffer(handlers) };
  if (protocol === 'http:') return net.connect(options);
  return tls.connect({ ...tlsOptions, ...options, servername: net.isIP(host) === 0 ? host : '' });
};

/** A socket of an autocannon connection. The socket records how the server treats the connection. */
export class ObservedSocket implements AnsweredConnection {
  readonly socket: Socket;
  answers = 0;
  isChunked = false;
  #answeredAt: Instant = instant(0);
  readonly #context: SaturatingContext;
  readonly #begun: Instant;
  /** The time that opening the socket took, in ms. */
  #openedIn = 0;
  #hasEnded = false;
  #endLook: () => void = () => undefined;

  constructor(address: SocketAddress, context: SaturatingContext, handlers: SocketHandlers) {
    this.#context = context;
    this.#begun = context.clock.now();
    this.socket = openSocket(address, context, handlers)
      .on('error', (error) => handlers.onError(error))
      .on('end', () => handlers.onEnd());
    keepWritable(this.socket);
    const opening = address.protocol === 'https:' ? 'secureConnect' : 'connect';
    this.socket.once(opening, () => {
      this.#openedIn = context.clock.now() - this.#begun;
    });
  }

  onAnswerBegins(): void {
    if (this.answers > 0) this.#context.rule.endsOf(this).onReused(this.answers);
  }

  onAnswered(at: Instant, isChunked: boolean): void {
    this.answers += 1;
    this.isChunked = isChunked;
    this.#answeredAt = at;
  }

  /** Records that the server has ended the socket. Only the first call counts. */
  noteEnd(): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { clock, rule } = this.#context;
    rule.endsOf(this).onEnded(this.answers, clock.now() - this.#answeredAt);
  }

  /** Waits to see whether the server refused a part of the request. The socket emits an error for a refusal. */
  lookForRefusal(onNone: () => void): void {
    if (hasUnwritten(this.socket)) this.socket.destroy(cutShort());
    else this.#endLook = lookForRefusal(this.socket, this.#openedIn, onNone);
  }

  /** Destroys the socket. After this call, no event of the socket reaches its handlers. */
  drop(): void {
    this.#endLook();
    this.socket
      .removeAllListeners('error')
      .removeAllListeners('end')
      .on('error', () => {})
      .destroy();
  }
}

import net from 'node:net';
import tls from 'node:tls';
import { type Base, type GiveUp, openTunnel, proxyFor, trustOf } from '../connector.ts';

/** What a connection tells of itself. */
export interface SocketEvents {
  /** It is there, TLS included. Told once. */
  opened(socket: net.Socket): void;
  /** Bytes came: the first `length` of `bytes`, valid during the call only. */
  read(bytes: Buffer, length: number): void;
  /** The other side sends no more. */
  ended(): void;
  /** It failed, before it was opened or after. */
  failed(error: Error): void;
  /** It is gone, whatever came before. Told last, and only of what had begun to open. */
  closed(): void;
}

/** Begins to open a connection. */
export type OpenSocket = (events: SocketEvents) => GiveUp;

/**
 * All reads of all connections go into this one buffer: a buffer for each read is garbage, and its
 * collection is what makes arrival instants wrong. Its size is what libuv reads at once.
 */
const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** As undici's: probes after a minute of silence, so that a vanished server is noticed. */
const probing = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 } as const;

const onread = (events: SocketEvents) => ({
  buffer: shared,
  callback: (length: number, bytes: Uint8Array): boolean => {
    events.read(bytes as Buffer, length);
    return true;
  },
});

/** Listens to a socket, whose opening is told by `opening`. */
const follow = (socket: net.Socket, opening: string, events: SocketEvents): net.Socket =>
  socket
    .once(opening, () => events.opened(socket))
    .on('end', () => events.ended())
    .on('error', (error) => events.failed(error))
    .on('close', () => events.closed());

/** A socket that came from elsewhere takes no buffer of ours: it reads as Node's streams do. */
const followReads = (socket: net.Socket, events: SocketEvents): void => {
  socket.on('data', (bytes: Buffer) => events.read(bytes, bytes.length));
};

/** How TLS is spoken to the target, with the session of the connection before, as undici does. */
const securely = (base: Base, host: string) => {
  let session: Buffer | undefined;
  const options = {
    ...trustOf(base),
    servername: net.isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  };
  return (way: tls.ConnectionOptions, events: SocketEvents): tls.TLSSocket => {
    const socket = tls.connect({ ...options, ...(session && { session }), ...way });
    socket.on('session', (ticket: Buffer) => {
      session = ticket;
    });
    follow(socket, 'secureConnect', events);
    return socket;
  };
};

/** How one connection to the target is opened: direct or through a proxy, plain or TLS, never with a deadline of its own. */
export const socketOpener = (base: Base): OpenSocket => {
  const url = new URL(base.url);
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const secure = securely(base, host);
  const proxy = proxyFor(base.url, base.wire.proxy);
  if (proxy !== null) {
    return (events) => {
      let giveUp = openTunnel(proxy, `${url.hostname}:${port}`, (...[error, tunnel]) => {
        if (error !== null) {
          events.failed(error);
          return events.closed();
        }
        const socket = isTls ? secure({ socket: tunnel }, events) : tunnel;
        giveUp = () => void socket.destroy();
        followReads(socket, events);
        if (isTls) return;
        follow(socket, 'connect', events);
        events.opened(socket);
      });
      return () => giveUp();
    };
  }
  return (events) => {
    const way = { host, port, ...probing, onread: onread(events) };
    const socket = isTls ? secure(way, events) : follow(net.connect(way), 'connect', events);
    return () => void socket.destroy();
  };
};

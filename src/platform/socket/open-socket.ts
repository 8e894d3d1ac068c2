import net from 'node:net';
import type tls from 'node:tls';
import {
  type TargetEndpoint,
  type CancelConnect,
  loadTls,
  openTunnel,
  proxyFor,
  tlsTrustOptions,
} from '../connection/connector.ts';
import { targetAddress } from '../connection/request-path.ts';
import { countReadBytes } from '../host/clean-heap.ts';

export interface SocketEvents {
  /** Called once when the connection is open, including TLS. */
  opened(socket: net.Socket): void;
  /** Called with received bytes: the first `length` of `bytes`, valid during the call only. */
  read(bytes: Buffer, length: number): void;
  /** Called when the server sends no more. */
  ended(): void;
  /** Called when the connection fails, before or after it is open. */
  failed(error: Error): void;
  /** Called last, when the connection is gone; only if opening had started. */
  closed(): void;
}

export type OpenSocket = (events: SocketEvents) => CancelConnect;

/**
 * The buffer that all reads of all connections share. A buffer for each read would be garbage, and collecting it would
 * delay the recorded instants. Its size is the number of bytes that libuv reads at once.
 */
const sharedReadBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The options for TCP keep-alive, the same as in undici: probes after a minute of silence, so that a vanished server is
 * noticed.
 */
const keepAliveOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 } as const;

/** Returns the option `onread` for a socket that reads into the shared buffer. */
export const intoSharedBuffer = (events: Pick<SocketEvents, 'read'>) => ({
  buffer: sharedReadBuffer,
  callback: (length: number, bytes: Uint8Array): boolean => {
    events.read(bytes as Buffer, length);
    return true;
  },
});

/** Forwards a socket's events; `opening` is the event that means an open connection. */
const attachEvents = (socket: net.Socket, opening: string, events: SocketEvents): net.Socket =>
  socket
    .once(opening, () => events.opened(socket))
    .on('end', () => events.ended())
    .on('error', (error) => events.failed(error))
    .on('close', () => events.closed());

/** Forwards the reads of a tunnel's socket. It cannot use the shared buffer, since it reads as Node's streams do. */
const attachReads = (socket: net.Socket, events: SocketEvents): void => {
  socket.on('data', (bytes: Buffer) => {
    countReadBytes(bytes.length);
    events.read(bytes, bytes.length);
  });
};

/** Makes TLS connections that resume the previous session, as undici does. */
const tlsConnector = (base: TargetEndpoint, host: string) => {
  let session: Buffer | undefined;
  const options = {
    ...tlsTrustOptions(base),
    servername: net.isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  };
  return (tlsOptions: tls.ConnectionOptions, events: SocketEvents): tls.TLSSocket => {
    const socket = loadTls().connect({ ...options, ...(session && { session }), ...tlsOptions });
    socket.on('session', (ticket: Buffer) => {
      session = ticket;
    });
    attachEvents(socket, 'secureConnect', events);
    return socket;
  };
};

/** Opens connections to the target: direct or through a proxy, plain or TLS, without a timeout. */
export const socketOpener = (base: TargetEndpoint): OpenSocket => {
  const { url, socketPath } = targetAddress(base.url);
  const isTls = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (isTls ? 443 : 80) : Number(url.port);
  const secure = tlsConnector(base, host);
  const proxy = proxyFor(base.url, base.wire.proxy);
  if (proxy !== null) {
    return (events) => {
      let cancel = openTunnel(proxy, `${url.hostname}:${port}`, (...[error, tunnel]) => {
        if (error !== null) {
          events.failed(error);
          return events.closed();
        }
        const socket = isTls ? secure({ socket: tunnel }, events) : tunnel;
        cancel = () => void socket.destroy();
        attachReads(socket, events);
        if (isTls) return;
        attachEvents(socket, 'connect', events);
        events.opened(socket);
      });
      return () => cancel();
    };
  }
  return (events) => {
    const place = socketPath === null ? { host, port } : { path: socketPath };
    const options = { ...place, ...keepAliveOptions, onread: intoSharedBuffer(events) };
    const socket = isTls
      ? secure(options, events)
      : attachEvents(net.connect(options), 'connect', events);
    return () => void socket.destroy();
  };
};

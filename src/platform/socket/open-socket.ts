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
  /** Called once, when the connection is open. With TLS, a connection is open after the handshake. */
  opened(socket: net.Socket): void;
  /** Called with received bytes: the first `length` bytes of `bytes`. These bytes are valid only during the call. */
  read(bytes: Buffer, length: number): void;
  /** Called when the server has sent its end (FIN). After that, it sends no more data. */
  ended(): void;
  /** Called when the connection fails, no matter whether the connection was already open. */
  failed(error: Error): void;
  /** Called last, when the connection is closed. Not called if the connection never began to open. */
  closed(): void;
}

export type OpenSocket = (events: SocketEvents) => CancelConnect;

/**
 * The buffer that all reads of all connections share. Separate buffers would become garbage, and the collection of this
 * garbage would delay the recorded instants. The buffer has as many bytes as libuv reads at once.
 */
const sharedReadBuffer = Buffer.allocUnsafeSlow(64 * 1024);

/** The same TCP options as undici's. After a minute of silence, probes are sent, so a vanished server is noticed. */
const keepAliveOptions = { noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 } as const;

/** Returns the option `onread` of a socket. With this option, the socket reads into the shared buffer. */
export const intoSharedBuffer = (events: Pick<SocketEvents, 'read'>) => ({
  buffer: sharedReadBuffer,
  callback: (length: number, bytes: Uint8Array): boolean => {
    events.read(bytes as Buffer, length);
    return true;
  },
});

/** Passes on the events of a socket. `opening` is the name of the event that reports that the connection is open. */
const attachEvents = (socket: net.Socket, opening: string, events: SocketEvents): net.Socket =>
  socket
    .once(opening, () => events.opened(socket))
    .on('end', () => events.ended())
    .on('error', (error) => events.failed(error))
    .on('close', () => events.closed());

/** Passes on the reads of a tunnel's socket. A tunnel's socket emits `data` events and cannot use the shared buffer. */
const attachReads = (socket: net.Socket, events: SocketEvents): void => {
  socket.on('data', (bytes: Buffer) => {
    countReadBytes(bytes.length);
    events.read(bytes, bytes.length);
  });
};

/**
 * Returns a function that makes TLS connections. Each connection resumes the TLS session of the previous connection, as
 * in undici.
 */
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

/**
 * Returns a function that opens connections to the target: direct or through a proxy, plain or TLS, without a timeout.
 */
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

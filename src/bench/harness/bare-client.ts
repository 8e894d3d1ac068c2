import net from 'node:net';
import tls from 'node:tls';
import type { ExchangeObserver } from '../../model/observation/exchange.ts';

/** The minimal Node client, and what a bench overlooks of a transport's exchanges. */

/** Shared by all sockets, since each read is used up before the next one. */
const buffer = Buffer.alloc(64 * 1024);

/** Opens a socket that sends a request once it is connected; `onRead` gets the length of each read and the shared buffer. */
export const openBareSocket = (
  port: number,
  request: Uint8Array,
  onRead: (length: number, bytes: Uint8Array) => void,
  secureContext?: tls.SecureContext,
): net.Socket => {
  const callback = (length: number, bytes: Uint8Array): boolean => {
    onRead(length, bytes);
    return true;
  };
  const options = { port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback } };
  const send = (): void => void socket.write(request);
  const socket: net.Socket =
    secureContext === undefined
      ? net.connect(options, send)
      : tls.connect({ ...options, secureContext }, send);
  return socket;
};

/** Ignores everything but a failure, which it throws. */
export const ignoreExchange: ExchangeObserver = {
  onConnected: () => undefined,
  onReconnect: () => undefined,
  onSent: () => undefined,
  onHeaders: () => undefined,
  onChunk: () => undefined,
  onEnd: () => undefined,
  onFailure: (_, cause, detail) => {
    throw new Error(`${cause}: ${detail}`);
  },
};

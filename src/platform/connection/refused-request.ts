import type { Socket } from 'node:net';

/**
 * This file recognises requests that a server has certainly not read. There are two cases:
 * - The request could not be written in full, since the connection was reset or closed while the request was being
 *   written.
 * - The server had sent its end (FIN), and its system then refused the written bytes (RST). A system refuses bytes that
 *   come after the server has closed the connection, and a server cannot carry out a request that it has not read
 *   completely. A server that reads a request and then closes the connection sends an end (FIN) but no refusal. A reset
 *   (RST) without an end (FIN) before it proves nothing, since a server may read the request and then abort. Over TLS a
 *   refusal proves nothing, since the refused bytes may be a TLS record outside the request.
 */

const nothing = new Uint8Array(0);

/** Returns whether a socket is a TLS socket, without loading `node:tls`. */
const isTls = (socket: Socket): boolean => 'encrypted' in socket;

/** The maximum wait for a refusal, in ms. A refusal comes one round trip after the request. */
const longestWait = 1000;
/**
 * Weir waits at least this many ms for a refusal, even on a fast connection: a busy server may send its FIN some time
 * before it really closes the socket.
 */
const shortestWait = 50;

/** Returns whether an error means that a part of the request was not written. */
export const isUnwritten = (error: unknown): boolean => {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return syscall === 'write' && (code === 'EPIPE' || code === 'ECONNRESET');
};

/**
 * Returns whether a part of the request is still in this process. Returns `false` over TLS, where the bytes that wait
 * may belong to no request.
 */
export const hasUnwritten = (socket: Socket): boolean =>
  !isTls(socket) && socket.writableLength > 0;

export const cutShort = (): Error =>
  Object.assign(new Error('the server closed the connection before the request was written'), {
    code: 'EPIPE',
    syscall: 'write',
  });

/**
 * Keeps a socket open for writing after the server has sent its end (FIN). On a socket that is closed for writing, a
 * refusal (RST) would not be noticed.
 */
export const keepWritable = (socket: Socket): void => {
  socket.allowHalfOpen = true;
};

/**
 * Looks for a refusal after the server has sent its end (FIN) on a socket, by writing empty buffers. After a refusal,
 * such a write fails with an error for which `isUnwritten` is true. Calls `onNone` if no refusal comes within 50 ms
 * plus four times `openedIn`, at most a second. `openedIn` is the time that connecting took, in ms, and stands for a
 * round trip. Over TLS, this function calls `onNone` at once. Returns a function that ends the wait.
 */
export const lookForRefusal = (
  socket: Socket,
  openedIn: number,
  onNone: () => void,
): (() => void) => {
  if (isTls(socket)) {
    onNone();
    return () => undefined;
  }
  const until = performance.now() + Math.min(longestWait, 4 * openedIn + shortestWait);
  let timer: NodeJS.Timeout | null = null;
  let pause = 0.5;
  const look = (): void => {
    if (performance.now() > until || !socket.writable) return onNone();
    socket.write(nothing);
    pause *= 2;
    timer = setTimeout(look, pause);
  };
  look();
  return () => {
    if (timer !== null) clearTimeout(timer);
  };
};

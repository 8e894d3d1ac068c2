import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/**
 * Whether a server can have read a request is known in two cases only.
 *
 * - The request could not be written in full: the connection was reset or closed before.
 * - The server had sent its end (FIN) and its system then refused what was written (RST). A system refuses bytes that come
 *   after the server has closed the connection, and what a server has not read in full it cannot have carried out. A server that
 *   reads a request and then closes the connection sends an end and no refusal.
 *
 * A reset without an end before it says nothing: a server can have read the request and aborted. Over TLS a refusal says nothing
 * either: what was refused can be a record of TLS that is no part of the request.
 */

const nothing = new Uint8Array(0);

/** The longest wait for a refusal, in ms: it comes one round trip after the request. */
const longestWait = 1000;
/** A busy server can take a while between ending a connection and closing it, in ms. */
const shortestWait = 50;

/** Whether an error says that not all of a request was written. */
export const isUnwritten = (error: unknown): boolean => {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  return syscall === 'write' && (code === 'EPIPE' || code === 'ECONNRESET');
};

/** Whether a part of the request is still in this process. Over TLS that is not known, and the answer is no. */
export const hasUnwritten = (socket: Socket): boolean =>
  !(socket instanceof TLSSocket) && socket.writableLength > 0;

export const cutShort = (): Error =>
  Object.assign(new Error('the server closed the connection before the request was written'), {
    code: 'EPIPE',
    syscall: 'write',
  });

/** Keeps a socket open for writing after the server has ended it, so that a refusal can be seen. */
export const keepWritable = (socket: Socket): void => {
  socket.allowHalfOpen = true;
};

/**
 * Looks for a refusal after the server has ended a socket: once it has come, writing nothing fails with an error for which `isUnwritten` holds. Calls
 * `onNone` if none comes within some round trips, whose length follows from `openedIn`, the ms that connecting took; over TLS it does so at once.
 * Returns a function that ends the look.
 */
export const lookForRefusal = (
  socket: Socket,
  openedIn: number,
  onNone: () => void,
): (() => void) => {
  if (socket instanceof TLSSocket) {
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

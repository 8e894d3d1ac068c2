import type { IncomingMessage } from 'node:http';
import type { Exchange } from './exchange.ts';

/** The largest request body that is read, in bytes: 16 MiB, above the largest context window (interface 2.1: a million tokens). */
export const largestBody = 16 * 1024 * 1024;

/**
 * Reads a body and tells it once: the bytes, or `null` as soon as it is known to be too large, after
 * which the rest is thrown away as it comes. A client that hangs up gets no call.
 */
const readBody = (request: IncomingMessage, tell: (body: Uint8Array | null) => void): void => {
  let chunks: Uint8Array[] = [];
  let size = 0;
  const keep = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > largestBody) discard();
    else chunks.push(chunk);
  };
  const finish = (): void => tell(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
  const discard = (): void => {
    request.off('data', keep).off('end', finish).resume();
    chunks = [];
    tell(null);
  };
  if (Number(request.headers['content-length'] ?? 0) > largestBody) discard();
  else request.on('data', keep).on('end', finish);
};

/** Reads the body of a request and hands it on; one that is too large is refused here. */
export const takeBody = (exchange: Exchange, use: (body: Uint8Array) => void): void =>
  readBody(exchange.request, (body) => {
    if (!exchange.isOpen) return;
    if (body !== null) {
      use(body);
      return;
    }
    const message = `The request body is larger than ${largestBody} bytes.`;
    exchange.refuse({ cause: 'too-large', message });
  });

import type { IncomingMessage } from 'node:http';
import type { MockExchange } from './mock-exchange.ts';

/** The largest request body that is read, in bytes: 16 MiB, above the largest context window (interface 2.1: a million tokens). */
export const maxBodyBytes = 16 * 1024 * 1024;

/**
 * Reads a body and tells it once: the bytes, or `null` as soon as it is known to be too large, after
 * which the rest is thrown away as it comes. A client that hangs up gets no call.
 */
const readBody = (request: IncomingMessage, onBody: (body: Uint8Array | null) => void): void => {
  let chunks: Uint8Array[] = [];
  let size = 0;
  const addChunk = (chunk: Uint8Array): void => {
    size += chunk.length;
    if (size > maxBodyBytes) discard();
    else chunks.push(chunk);
  };
  const finish = (): void => onBody(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks, size));
  const discard = (): void => {
    request.off('data', addChunk).off('end', finish).resume();
    chunks = [];
    onBody(null);
  };
  if (Number(request.headers['content-length'] ?? 0) > maxBodyBytes) discard();
  else request.on('data', addChunk).on('end', finish);
};

/** Reads the body of a request and hands it on; one that is too large is refused here. */
export const readRequestBody = (exchange: MockExchange, onBody: (body: Uint8Array) => void): void =>
  readBody(exchange.request, (body) => {
    if (!exchange.isOpen) return;
    if (body !== null) {
      onBody(body);
      return;
    }
    const message = `The request body is larger than ${maxBodyBytes} bytes.`;
    exchange.refuse({ cause: 'too-large', message });
  });
